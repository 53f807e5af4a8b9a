/** Changes by the command line are entries of the audit, and a revision has an author (specification 18.38). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStore } from '../../src/store/open-store.ts'
import { copyReference, serve } from '../support/cli.ts'
import { findDatabase, forEachDatabase, type TestDatabase } from '../support/databases.ts'
import { runVerb } from '../support/run-verb.ts'

async function open(t: TestContext, database: TestDatabase, folder: string) {
  const { url, remove } = await database.open()
  t.after(remove)
  const run = async (...args: readonly string[]) => {
    const env = { IG_DATABASE: url }
    const outcome = await runVerb(args, { cwd: folder, env, input: 'a long enough password\n' })
    assert.deepEqual([outcome.code, outcome.stderr], [0, ''], args.join(' '))
    return outcome.stdout
  }
  const read = async () => {
    const store = await openStore(url)
    const entries = await store.administration.audit.list({ limit: 50 })
    const verdict = await store.administration.audit.verify()
    await store.close()
    assert.equal(verdict.difference, undefined)
    return entries.toReversed()
  }
  return { run, read, url }
}

const system = userInfo().username

forEachDatabase((database) => {
  test(`18.38 each change of an operator on the command line is an audit entry that names the system user or --as (${database.name})`, async (t) => {
    const { run, read } = await open(t, database, copyReference())
    await run('operator', 'add', 'KIM', '--email', 'kim@example.com', '--password-stdin')
    await run('operator', 'set-password', 'KIM', '--password-stdin', '--as', 'lee')
    await run('operator', 'set', 'KIM', '--email', 'kim@example.org')
    await run('operator', 'lock', 'KIM')
    await run('operator', 'unlock', 'KIM')
    await run('operator', 'grant', 'KIM', 'PUBLIC')
    await run('operator', 'revoke', 'KIM', 'PUBLIC')
    await run('operator', 'list')
    const entries = await read()
    assert.ok(
      entries.every(({ via, address, subject }) => `${via} ${address} ${subject}` === `command line ${hostname()} KIM`),
    )
    const address = (name: string) => ({ emails: [{ type: 'business', address: name, isPrimary: true }] })
    assert.deepEqual(
      entries.map(({ actor, action, before, after }) => [actor, action, before, after]),
      [
        [
          system,
          'createOperator',
          undefined,
          { id: 'KIM', description: '', ...address('kim@example.com'), permissionLists: [], password: '***' },
        ],
        ['lee', 'setOperatorPassword', { password: '***' }, { password: '***' }],
        [system, 'changeOperator', address('kim@example.com'), address('kim@example.org')],
        [system, 'lockOperator', { isLocked: false }, { isLocked: true }],
        [system, 'unlockOperator', { isLocked: true }, { isLocked: false }],
        [system, 'grantPermissionList', { permissionLists: [] }, { permissionLists: ['PUBLIC'] }],
        [system, 'revokePermissionList', { permissionLists: ['PUBLIC'] }, { permissionLists: [] }],
      ],
    )
  })
})

test('13.1, 18.38 apply, rollback, invite and restore are audit entries, and a revision has its author', async (t) => {
  const folder = copyReference()
  const { run, read, url } = await open(t, findDatabase('SQLite'), folder)
  await run('apply', '--as', 'kim')
  const config = join(folder, 'gateway.config.ts')
  writeFileSync(config, readFileSync(config, 'utf8').replace('Who is calling', 'Who calls'))
  await run('apply', '--note', 'words')
  await run('apply') // nothing changes
  await run('rollback', '1', '--as', 'lee')
  await run('administrator', 'invite', '--out', '-', '--as', 'lee')
  const file = `${url}.backup`
  await run('backup', file)
  await run('restore', file, '--as', 'ops')
  const entries = await read()
  assert.deepEqual(
    entries.map(({ actor, action, subject, before }) => [actor, action, subject, before]),
    [
      ['kim', 'applyConfiguration', 'revision 1', {}],
      [system, 'applyConfiguration', 'revision 2', { revision: 1 }],
      ['lee', 'activateRevision', 'revision 1', { revision: 2 }],
      ['lee', 'inviteAdministrator', 'the first administrator', undefined],
      ['ops', 'restoreDatabase', file, undefined],
    ],
  )
  const after = entries[1]?.after as { readonly note: string; readonly changes: readonly unknown[] } | undefined
  assert.deepEqual([after?.note, after?.changes.length], ['words', 1])
  assert.match(await run('revision', 'list'), new RegExp(`\n2 .* former +${system} +words\n1 .* active +kim\n`))
  const { items } = JSON.parse(await run('revision', 'list', '--json'))
  assert.deepEqual(
    items.map(({ author }: { readonly author: string }) => author),
    [system, 'kim'],
  )
  for (const name of ['a\nb', ' ', 'a\u202eb']) {
    const refused = await runVerb(['apply', '--as', name], { cwd: folder, env: { IG_DATABASE: url }, input: '' })
    const stderr = 'ig: --as takes a name of 1 to 100 characters that is not blank, without control characters.\n'
    assert.deepEqual([refused.code, refused.stderr], [2, stderr])
  }
})

test('18.35 Ctrl-C during an export leaves nothing behind', async (t) => {
  const page = JSON.stringify({ items: [], next: 1 })
  const hangs = Promise.withResolvers<void>()
  const gateway = createServer(({ url = '' }, response) => {
    if (url.endsWith('after=0')) response.setHeader('content-type', 'application/json').end(page)
    else hangs.resolve()
  }).listen(0, '127.0.0.1')
  t.after(() => gateway.closeAllConnections())
  t.after(() => gateway.close())
  await once(gateway, 'listening')
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  const folder = mkdtempSync(join(tmpdir(), 'ig-audit-'))
  const env = { IG_ADMIN_TOKEN: `ig_${'0'.repeat(43)}` }
  const exporting = serve(['audit', 'export', '--url', url, '--out', 'audit.jsonl'], { cwd: folder, env })
  await hangs.promise
  assert.equal(readdirSync(folder).length, 1)
  assert.equal((await exporting.stop('SIGINT')).code, 130)
  assert.deepEqual(readdirSync(folder), [])
})
