/** The chain of the audit (specification 18.34, 18.35), on both databases. */
import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Observation } from '../../src/model/observation.ts'
import { hashEntry, noHash } from '../../src/store/administration/audit-chain.ts'
import { logAuditHead } from '../../src/store/administration/log-head.ts'
import type { Store } from '../../src/store/store.ts'
import { makeProject } from '../support/cli.ts'
import { findDatabase, forEachDatabase, runOutside } from '../support/databases.ts'
import { runVerb } from '../support/run-verb.ts'
import { openTestStore } from '../support/stores.ts'

const entry = (subject: string, after: unknown = undefined) => ({
  time: 1_700_000_000_000.5,
  actor: 'kim',
  via: 'session',
  address: '::1',
  action: 'changeOperator',
  subject,
  after,
})

const append = async (store: Store, ...subjects: readonly string[]) => {
  for (const subject of subjects) await store.administration.audit.append(entry(subject, { subject, n: 1 }))
}

/** As the owner of the database can. */
const disable = (url: string) =>
  url.startsWith('postgres')
    ? 'alter table ig_audit disable trigger all; alter table ig_audit_link disable trigger all;'
    : ['ig_audit', 'ig_audit_link']
        .flatMap((table) => ['update', 'delete', 'replace'].map((deed) => `drop trigger ${table}_no_${deed};`))
        .join(' ')

forEachDatabase((database) => {
  test(`18.34 entries of several instances form one chain, and every manipulation of a row is found (${database.name})`, async (t) => {
    const { store, url, openAnother } = await openTestStore(t, database)
    const other = await openAnother()
    const { audit } = store.administration
    assert.deepEqual(await audit.verify(), { entries: 0, head: undefined })
    await Promise.all([append(store, 'a', 'b', 'c'), append(other, 'd', 'lone \ud800 surrogate', 'f')])
    const head = (await audit.head())?.hash
    assert.deepEqual(await audit.verify(head), { entries: 6, head, hasHead: true })
    let hash = noHash
    for (const link of await audit.page(0)) hash = link.entry ? hashEntry(hash, link.entry) : ''
    assert.equal(hash, head)
    await append(store, 'g')
    assert.equal((await audit.verify(head)).hasHead, true)
    assert.equal((await audit.verify(noHash)).hasHead, false)

    const deeds: readonly (readonly [string, object])[] = [
      ["update ig_audit set actor = 'eve' where sequence = 6", { sequence: 6, reason: 'it was changed' }],
      ['delete from ig_audit where sequence = 5', { sequence: 5, reason: 'it is missing' }],
      ['delete from ig_audit_link where sequence = 5', { sequence: 5, reason: 'it is missing' }],
      ['delete from ig_audit where sequence = 7', { sequence: 5, reason: 'it is missing' }],
      ["update ig_audit_link set hash = '' where sequence = 3", { sequence: 3, reason: 'it was changed' }],
      ['delete from ig_audit_link where sequence = 2', { sequence: 2, reason: 'it is not chained' }],
      ['delete from ig_audit where sequence = 1', { sequence: 1, reason: 'it is missing' }],
    ]
    await runOutside(url, disable(url))
    for (const [deed, difference] of deeds) {
      await runOutside(url, deed)
      assert.deepEqual((await audit.verify()).difference, difference, deed)
    }
    await runOutside(url, 'delete from ig_audit; delete from ig_audit_link')
    assert.deepEqual((await audit.verify(head)).difference, { sequence: 1, reason: 'it is missing' })
    assert.equal((await audit.verify(head)).hasHead, false)
  })

  test(`18.34 entries removed or added outside the gateway are still detected after the next change (${database.name})`, async (t) => {
    const { store, url } = await openTestStore(t, database)
    const { audit } = store.administration
    const forge = (sequence: number | string) =>
      runOutside(url, `insert into ig_audit values (${sequence}, 2, 'eve', 'x', 'y', 'z', 'w', null, null)`)
    await append(store, 'a', 'b', 'c')
    await forge(-1)
    assert.deepEqual((await audit.verify()).difference, { sequence: 0, reason: 'it was added' })
    await runOutside(url, disable(url))
    await runOutside(url, 'delete from ig_audit where sequence < 0')
    if (database.name === 'SQLite') {
      for (const sequence of ["'text'", 'null', "x'00'", '2.5']) {
        await forge(sequence)
        assert.equal((await audit.verify()).difference?.reason, 'it was added', sequence)
        await runOutside(url, `delete from ig_audit where actor = 'eve'`)
      }
    }
    assert.equal((await audit.verify()).difference, undefined)
    await runOutside(url, 'delete from ig_audit where sequence = 3; delete from ig_audit_link where sequence = 3')
    await append(store, 'd')
    assert.deepEqual((await audit.verify()).difference, { sequence: 3, reason: 'it is missing' })
    await runOutside(url, 'delete from ig_audit; delete from ig_audit_link')
    await append(store, 'e')
    assert.deepEqual((await audit.verify()).difference, { sequence: 1, reason: 'it is missing' })
  })
})

test('18.34 a long audit is verified in slices, between which calls are served (SQLite)', async (t) => {
  const { store, url } = await openTestStore(t, findDatabase('SQLite'))
  await runOutside(
    url,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
    insert into ig_audit select i, 5, 'kim', 'session', '::1', 'changeOperator', 'KIM', null, null from n`,
  )
  let turns = 0
  let isOver = false
  const turn = () => {
    turns += 1
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  assert.equal((await store.administration.audit.verify()).entries, 2_000)
  isOver = true
  assert.ok(turns >= 3, `${turns} turns of the event loop`)
})

test('18.34, 18.35 the command line verifies the database and an export, with an exit code, and accepts a head', async (t) => {
  const { store, url } = await openTestStore(t, findDatabase('SQLite'))
  const folder = mkdtempSync(join(tmpdir(), 'ig-audit-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'gateway.config.ts'), '')
  const run = (...args: readonly string[]) =>
    runVerb(['audit', ...args], { cwd: folder, env: { IG_DATABASE: url }, input: '' })
  assert.match((await run('verify')).stdout, /^The audit has no entries yet\.\n$/)
  await append(store, 'a', 'b \u001b[31m é', 'c')
  const head = (await store.administration.audit.head())?.hash ?? ''
  assert.deepEqual(await run('verify'), {
    code: 0,
    stdout: `All 3 entries of the audit are unchanged. Head: ${head}\n`,
    stderr: '',
  })
  const written = await run('export', '--out', 'audit.jsonl')
  assert.equal(written.stdout, `Wrote 3 entries to audit.jsonl. Head: ${head}\n`)
  assert.match((await run('export', '--out', 'audit.jsonl')).stderr, /audit.jsonl exists/)
  const file = join(folder, 'audit.jsonl')
  const text = readFileSync(file, 'utf8')
  assert.equal((await run('export')).stdout, text)
  assert.deepEqual(JSON.parse(text.split('\n')[3] ?? ''), { entries: 3, head })
  assert.deepEqual(JSON.parse((await run('verify', 'audit.jsonl', '--head', head, '--json')).stdout), {
    isVerified: true,
    entries: 3,
    head,
    difference: null,
    hasHead: true,
  })
  writeFileSync(file, text.replace('"actor":"kim"', '"actor":"eve"'))
  const changed = await run('verify', 'audit.jsonl')
  assert.equal(changed.code, 3)
  assert.match(changed.stdout, /^Entry 1 does not match the chain: it was changed\./)
  writeFileSync(file, text.split('\n').slice(0, 2).join('\n'))
  assert.match((await run('verify', 'audit.jsonl')).stderr, /audit.jsonl is incomplete/)
  writeFileSync(file, text)
  appendFileSync(file, '{}\n')
  assert.equal((await run('verify', 'audit.jsonl')).code, 1)
  const lines = text.split('\n').slice(0, 3)
  const without = lines.map((line, index) => (index < 1 ? line : line.replace(/,"hash":"\w*"/, '')))
  writeFileSync(
    file,
    [...without, JSON.stringify({ entries: lines.length, head: JSON.parse(lines[0] ?? '').hash }), ''].join('\n'),
  )
  const unchained = await run('verify', 'audit.jsonl')
  assert.equal(unchained.code, 3)
  assert.match(unchained.stdout, /^Entry 2 does not match the chain: it is not chained\./)
  assert.match((await run('verify', 'none.jsonl')).stderr, /there is no file none.jsonl/)

  const other = await run('verify', '--head', '0'.repeat(64))
  assert.equal(other.code, 3)
  assert.match(other.stdout, /^The head 0{64} is not in the chain/)
  assert.match((await run('verify', '--head', 'x')).stderr, /--head takes the 64 hexadecimal digits/)
})

test('18.30, 18.35, 31.1 ig audit list has the pages of the API as one list, and ig audit show one entry', async (t) => {
  const { url } = await openTestStore(t, findDatabase('SQLite'))
  await runOutside(
    url,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1100)
    insert into ig_audit select i, 5, 'kim', 'session', '::1', 'changeOperator', 'KIM' || i, null, null from n`,
  )
  const folder = makeProject({ 'gateway.config.ts': '' })
  const run = (...args: readonly string[]) =>
    runVerb(['audit', ...args], { cwd: folder, env: { IG_DATABASE: url }, input: '' })
  const list = async (...args: readonly string[]) => {
    const { stdout, stderr } = await run('list', '--json', ...args)
    assert.equal(stderr, '')
    const { items } = JSON.parse(stdout)
    return items.map(({ sequence }: { readonly sequence: number }) => sequence)
  }
  const all = Array.from({ length: 1_100 }, (_, index) => index + 1)
  assert.deepEqual(await list(), all.toReversed())
  assert.deepEqual(await list('--after', '0', '--limit', '600'), all.slice(0, 600))
  assert.deepEqual(await list('--filter', 'subject=KIM110', '--sort', 'sequence'), [110, 1_100])
  assert.match(
    (await run('list', '--limit', '1')).stdout,
    /^SEQUENCE +TIME [^\n]+\n1100 +1970-01-01T00:00:00\.005Z +kim /,
  )
  assert.equal((await run('list', '--limit', '1')).stderr, '1 of more than 1 rows\n')
  assert.equal((await run('list', '--limit', '1100')).stderr, '')
  assert.match((await run('show', '7')).stdout, /^sequence +7\n[\s\S]*\nsubject +KIM7\n/)
  assert.match((await run('show', '1101')).stderr, /There is no audit entry 1101\./)
})

test('18.35 the log has the head at the start and hourly', async (t) => {
  const { store } = await openTestStore(t, findDatabase('SQLite'))
  await append(store, 'a')
  t.mock.timers.enable({ apis: ['setInterval'] })
  const observed: Observation[] = []
  let seen = Promise.withResolvers<Observation>()
  const observe = (observation: Observation) => {
    observed.push(observation)
    seen.resolve(observation)
  }
  const stop = logAuditHead(store, observe)
  await seen.promise
  await append(store, 'b')
  seen = Promise.withResolvers()
  t.mock.timers.tick(3_600_000)
  await seen.promise
  stop()
  const { hash } = (await store.administration.audit.head()) ?? {}
  assert.deepEqual(observed[1], {
    kind: 'event',
    level: 'information',
    name: 'auditHead',
    message: `The audit has 2 entries; the head of its chain is ${hash}.`,
  })
})
