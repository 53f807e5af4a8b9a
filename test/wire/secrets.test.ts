/** Where secrets that were sent are found, which is nowhere, and who reads names that were claimed (specification 8.7, 8.10, 19.11). */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { hideClaimed, withClaimed } from '../../src/model/claimed-name.ts'
import { openLogs } from '../../src/observe/open-logs.ts'
import { openRandom, runOrdeal } from '../ordeal/ordeal.ts'
import { secrets } from '../ordeal/secrets.ts'
import { openMarks } from '../ordeal/secrets-marks.ts'
import { openTestAdmin } from '../support/admin.ts'
import { basic, send } from '../support/client.ts'
import { findDatabase } from '../support/databases.ts'
import { root } from '../support/gateway.ts'

const database = findDatabase('SQLite')

test('8.10, 18.28 a claimed name is stored if an operator has it, and is hidden from viewers; the address is not', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-claimed-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const properties = {
    'ig.messageLog.filename': join(folder, 'msgLog.html'),
    'ig.errorLog.filename': join(folder, 'errorLog.html'),
  }
  const { ask, opened, observations } = await openTestAdmin(t, { database, properties })
  for (const name of ['my secret sentence', 'an operator'])
    await ask('POST /api/session', { as: 'nobody', body: { name, password: 'x' } })
  for (const id of ['hunter2', 'DEMO'])
    await send(opened.url, `GET ${root}/METADATA_BASIC.v1`, { headers: basic(id, 'wrong') })
  const { settings } = opened.gateway
  const logs = openLogs({ ...settings, log: { ...settings.log, level: 4 } }, { write() {} })
  for (const observation of observations) logs.observe(observation)
  await logs.close()

  const read = async (as: 'viewer' | 'operator') => JSON.stringify((await ask('GET /api/logs/error', { as })).body)
  const [forOperators, forViewers] = [await read('operator'), await read('viewer')]
  assert.doesNotMatch(forOperators, /my secret sentence|hunter2/)
  for (const claimed of ['(unknown)', 'an operator', 'DEMO']) {
    assert.ok(forOperators.includes(`(claimed: ${claimed})`), claimed)
    assert.ok(!forViewers.includes(claimed), claimed)
  }
  assert.match(forViewers, /an attempt to sign in from 127\.0\.0\.1 was refused: credentialsRejected\./)
})

test('8.10 a claimed name is removed completely from a reason, whatever it is', () => {
  for (const name of ['DEMO', '(unknown)', 'a) b', 'x (claimed: y)'])
    assert.equal(hideClaimed(`${withClaimed('wrong password', name)}.`), 'wrong password.')
})

test('19.11, 8.7 the audit has path and query of a tried call without their secrets', async (t) => {
  const { ask } = await openTestAdmin(t, { database })
  const path = '/ECHO.v1/echo/x;jsessionid=hunter2?password=hunter2&key=hunter2&sig=hunter2&code=hunter2&shown=1'
  await ask('POST /api/try', { body: { method: 'GET', path, operator: 'DEMO' } })
  const { items } = (await ask('GET /api/audit', { as: 'viewer' })).body
  assert.doesNotMatch(JSON.stringify(items), /hunter2/)
  const tried = items.find(({ action }: { action: string }) => action === 'tryCall')
  assert.match(tried.subject, /^GET \/ECHO\.v1\/echo\/x;.*&shown=1$/)
})

test('18.27, 8.7 the list of the REST cache has URLs without their secrets, and either deletes its entries', async (t) => {
  const { ask, opened } = await openTestAdmin(t, { database })
  const url = `${root}/CACHED_TIME.v1/?key=hunter2&n=1`
  await send(opened.url, `GET ${url}`, { headers: basic('DEMO') })
  const shown = `${root}/CACHED_TIME.v1/?key=[redacted]&n=1`
  const urls = async () => (await ask('GET /api/rest-cache')).body.items.map((entry: { url: string }) => entry.url)
  assert.deepEqual(await urls(), [shown])
  const remove = (which: string) =>
    ask(`DELETE /api/rest-cache/CACHED_TIME_GET.v1/entry?url=${encodeURIComponent(which)}`)
  assert.deepEqual((await remove(shown)).body, { deleted: 1 })
  await send(opened.url, `GET ${url}`, { headers: basic('DEMO') })
  assert.deepEqual((await remove(url)).body, { deleted: 1 })
})

test('8.7, 8.10, 19.11 no secret, however it is sent, is in a log, a table, a metric, a trace or a response of administration', async () => {
  const leaks: string[] = []
  const trials = process.env.IG_TEST_POSTGRES ? 2 : 1 // one on each database
  const { tally, done } = await runOrdeal(secrets, { trials, say: (leak) => void leaks.push(leak) })
  assert.deepEqual(leaks, [])
  assert.deepEqual(secrets.judge(tally, done), [])
})

test('8.7 the ordeal of secrets detects what is found, what was not searched, and whether secrets were sent', () => {
  const sound = { sent: 100, places: 60, found: 0, blind: 0 }
  assert.deepEqual(secrets.judge(sound, 1), [])
  for (const name of ['found', 'blind']) assert.equal(secrets.judge({ ...sound, [name]: 1 }, 1).length, 1, name)
  assert.equal(secrets.judge({}, 1).length, 2)
})

test('8.7 the ordeal of secrets finds a mark in each form', () => {
  const marks = openMarks(openRandom(1))
  const secret = marks.secret('mine')
  const each = (write: (code: number) => string) =>
    [...secret].map((character) => write(character.charCodeAt(0))).join('')
  const forms = [
    secret,
    ...['', 'a', 'ab', 'DEMO:'].map((before) => Buffer.from(`${before}${secret}`).toString('base64')),
    each((code) => `%${code.toString(16)}`),
    each((code) => `\\u00${code.toString(16)}`),
    each((code) => `&#x${code.toString(16)};`),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret, 'utf16le').toString('latin1'),
  ]
  for (const form of forms) assert.equal(marks.find(`before ${form} after`).length, 1, form)
  assert.deepEqual(marks.find(`before ${marks.readable} after`), [])
})
