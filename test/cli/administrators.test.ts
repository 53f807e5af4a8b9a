/** Administrators and their tokens by `ig`, over the database, and by a session (specification 31.5). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin } from '../support/admin.ts'
import { copyReference, ig } from '../support/cli.ts'
import { forEachDatabase } from '../support/databases.ts'

const password = 'a long sentence is a good one'

interface Change {
  /** # is 1 for `ig` and 2 for the session. */
  readonly line: string
  readonly request: string
  readonly body?: object
  readonly says: RegExp
}

const changes: readonly Change[] = [
  {
    line: 'add SAM# --password-stdin',
    request: 'POST /api/administrators',
    body: { name: 'SAM2', role: 'administrator', password },
    says: /SAM1 is added with the role administrator/,
  },
  {
    line: 'set SAM# --role operator',
    request: 'PATCH /api/administrators/SAM2',
    body: { role: 'operator' },
    says: /^SAM1 has the role operator\.$/m,
  },
  { line: 'lock SAM#', request: 'PUT /api/administrators/SAM2/lock', says: /^SAM1 is locked\.$/m },
  { line: 'unlock SAM#', request: 'DELETE /api/administrators/SAM2/lock', says: /^SAM1 is unlocked\.$/m },
  {
    line: 'set-password SAM# --password-stdin',
    request: 'PUT /api/administrators/SAM2/password',
    body: { password },
    says: /SAM1 has a new password/,
  },
]

forEachDatabase((database) => {
  test(`31.5 ig changes administrators over the database by the rules of a session, with the same audit entry (${database.name})`, async (t) => {
    const folder = copyReference()
    const { ask, opened } = await openTestAdmin(t, { database, folder })
    const env = { IG_DATABASE: opened.gateway.settings.database }
    const run = (line: string) => ig(['administrator', ...line.split(' ')], { cwd: folder, env, input: password })
    await ask('GET /api/session') // whose sign-in is an entry, too
    for (const { line, request, body, says } of changes) {
      const { code, stdout, stderr } = await run(line.replace('#', '1'))
      assert.deepEqual([code, stderr], [0, ''], line)
      assert.match(stdout, says)
      const { etag } = await ask('GET /api/administrators/SAM2')
      const { status } = await ask(request, {
        ...(body && { body }),
        ...(request.startsWith('PATCH') && { ifMatch: etag }),
      })
      assert.ok(status < 300, `${request} ${status}`)
      const [bySession, byIg] = (await ask('GET /api/audit?limit=2')).body.items
      assert.deepEqual([byIg.via, bySession.via], ['command line', 'session'])
      for (const member of ['action', 'before', 'after']) assert.deepEqual(byIg[member], bySession[member], line)
      assert.deepEqual([byIg.subject, bySession.subject], ['SAM1', 'SAM2'])
    }
    const failures: Readonly<Record<string, RegExp>> = {
      'set nobody --role viewer': /There is no administrator nobody/,
      'lock nobody': /There is no administrator nobody/,
    }
    for (const [line, message] of Object.entries(failures)) {
      const { code, stderr } = await run(line)
      assert.equal(code, 1, line)
      assert.match(stderr, message)
    }
    for (const change of [
      ['lock', 'an administrator'],
      ['set', 'an administrator', '--role', 'viewer'],
    ])
      assert.match(
        (await ig(['administrator', ...change], { cwd: folder, env })).stderr,
        /This is the last unlocked administrator/,
      )
  })

  test(`18.12, 31.5 where no one administers, a viewer can be changed: only the last administrator stays (${database.name})`, async (t) => {
    const { url, remove } = await database.open()
    t.after(remove)
    const folder = copyReference()
    const run = (...args: readonly string[]) =>
      ig(['administrator', ...args], { cwd: folder, env: { IG_DATABASE: url }, input: 'a long sentence is a good one' })
    for (const line of [
      ['add', 'sam', '--role', 'viewer', '--password-stdin'],
      ['set-password', 'sam', '--password-stdin'],
      ['lock', 'sam'],
      ['unlock', 'sam'],
      ['set', 'sam', '--role', 'administrator'],
    ])
      assert.equal((await run(...line)).code, 0, line.join(' '))
    assert.match((await run('lock', 'sam')).stderr, /This is the last unlocked administrator/)
  })

  test(`31.5 a token made over the database is another person's, and its audit entry that of a session (${database.name})`, async (t) => {
    const folder = copyReference()
    const { ask, opened } = await openTestAdmin(t, { database, folder })
    const env = { IG_DATABASE: opened.gateway.settings.database }
    const run = (...args: readonly string[]) => ig(['token', ...args], { cwd: folder, env })
    const facts = { name: 'ci', role: 'viewer', days: 3 }
    const { stdout } = await run('create', 'an operator', '--name', 'ci', '--role', 'viewer', '--days', '3', '--json')
    const { token, id } = JSON.parse(stdout)
    await ask('POST /api/tokens', { as: 'operator', body: facts })
    const entries = (await ask('GET /api/audit?action=createToken')).body.items
    const [bySession, byIg] = entries.map(
      ({ after: { expires, ...after } }: { readonly after: { readonly expires: string } }) => after,
    )
    assert.deepEqual(byIg, bySession)
    assert.deepEqual(byIg, { name: 'ci', role: 'viewer', administrator: 'an operator' })
    const asToken = async () => (await ask('GET /api/session', { headers: { authorization: `Bearer ${token}` } })).body
    assert.deepEqual([(await asToken()).name, (await asToken()).role], ['an operator', 'viewer'])
    assert.equal((await run('revoke', id, '--yes')).code, 0)
    assert.equal((await asToken()).code, 'unauthenticated')
    await ig(['administrator', 'lock', 'an operator'], { cwd: folder, env })
    assert.match((await run('create', 'an operator', '--role', 'viewer', '--json')).stderr, /an operator is locked/)
  })
})
