/** Streams where there is no socket: the testing kit, ig try, the console's Try it, and the log (specification 5.35). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { openTestGateway, type TestGateway } from 'integration-gateway/testing'
import type { AnsweredCall } from '../../src/model/call-record.ts'
import { writeEntry } from '../../src/observe/log-entry.ts'
import { openTestAdmin } from '../support/admin.ts'
import { ig, makeProject } from '../support/cli.ts'
import { findDatabase } from '../support/databases.ts'
import { poll } from '../support/poll.ts'

const handler = `
export default class Rows {
  onRequest(request, context) {
    const response = context.broker.createMessage(request.operationName, 'response')
    response.contentType = 'text/plain'
    response.setContentStream(write(request.getHeader('x-plan') ?? 'whole', context))
    return response
  }
}
async function* write(plan, { snapshot }) {
  yield 'tables: '
  if (plan === 'fail') await new Promise((resolve) => setTimeout(resolve, 1))
  if (plan === 'fail') throw new Error('no more')
  const { rows } = await snapshot.selectFrom('NOTES').select('TEXT').execute().then((rows) => ({ rows }))
  for (;;) {
    yield String(rows.length)
    if (plan !== 'endless') return
    yield 'é'.repeat(100_000)
    process.emit('chunkTaken')
  }
}
`
const config = `
import { defineGateway, defineSampleOperators } from 'integration-gateway'
export default defineGateway({
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'GUEST' }],
  services: [{ name: 'S' }],
  operations: [
    { service: 'S', name: 'ROWS', method: 'GET', handler: 'handlers/rows.js', logDetail: 'headerAndDetail' },
    { service: 'S', name: 'ROWS', method: 'HEAD', handler: 'handlers/rows.js' },
  ],
  permissionLists: [{ name: 'ALL', services: ['S'] }],
})
export const sampleOperators = defineSampleOperators([
  { id: 'GUEST', password: 'guest-password', email: 'guest@example.com', permissionLists: ['ALL'] },
])
`
const migration = `
export const up = (database) => database.schema.createTable('NOTES').addColumn('TEXT', 'text').execute()
`
const folder = makeProject({
  'gateway.config.ts': config,
  'handlers/rows.js': handler,
  'migrations/0001-notes.js': migration,
})

let opened: Promise<TestGateway> | undefined
const kit = () => (opened ??= openTestGateway({ project: folder }))
after(async () => (await opened)?.close())

const plan = (name: string) => ({ headers: { 'x-plan': name } })
const lastAnswer = (gateway: TestGateway) =>
  gateway.observations.findLast((one): one is AnsweredCall => one.kind === 'answered')

test('5.35, 11.4 the testing kit reads a stream to its end, and rejects if it fails or the client disconnects', async () => {
  const gateway = await kit()
  const whole = await gateway.call('GET ROWS.v1/')
  assert.deepEqual([whole.status, whole.text, whole.refusal], [200, 'tables: 0', undefined])
  assert.equal((await gateway.call('HEAD ROWS.v1/')).text, '')
  await assert.rejects(gateway.call('GET ROWS.v1/', plan('fail')), /the stream failed after 8 bytes: Error: no more/)
  const left = new AbortController()
  const { length } = gateway.observations
  const taken = once(process, 'chunkTaken')
  const endless = gateway.call('GET ROWS.v1/', { ...plan('endless'), signal: left.signal })
  const rejected = assert.rejects(endless, /The client left/)
  await taken
  left.abort()
  await rejected
  await poll(() => gateway.observations.slice(length).some(({ kind }) => kind === 'answered'))
  const { refusal, streamed } = lastAnswer(gateway) ?? {}
  assert.deepEqual([refusal, streamed?.isWhole], [undefined, false])
})

test('5.35, 15.1 ig try shows a stream, the beginning of a long one, and the error of a failed one', async () => {
  const attempt = (...args: readonly string[]) => ig(['try', 'GET', '/ROWS.v1', '--project', folder, ...args])
  const whole = await attempt()
  assert.equal(whole.code, 0, whole.stderr)
  assert.match(whole.stdout, /^200\n[\s\S]*\ntables: 0\n[\s\S]*Rows answered 200/)
  const endless = JSON.parse((await attempt('--header', 'x-plan: endless', '--json')).stdout)
  assert.match(endless.body, /^tables: 0é+/)
  assert.ok(Math.abs(Buffer.byteLength(endless.body) - 1024 * 1024) < 2)
  const failed = await attempt('--header', 'x-plan: fail')
  assert.equal(failed.code, 1)
  assert.match(
    failed.stdout,
    /^200\n[\s\S]*\ntables: *\n[\s\S]*handler +failed +handlerFailed: .*after 8 bytes: Error: no more/,
  )
})

test('5.35, 19.11 the console tries a stream: its beginning, how much was read, and why it failed', async (t) => {
  const { ask } = await openTestAdmin(t, { database: findDatabase('SQLite'), folder, servesFiles: true })
  const attempt = async (name: string) => {
    const headers = [{ name: 'x-plan', value: name }]
    return (await ask('POST /api/try', { body: { method: 'GET', path: '/ROWS.v1', headers } })).body
  }
  const whole = await attempt('whole')
  assert.deepEqual([whole.status, whole.body, whole.size], [200, 'tables: 0', 9])
  const endless = await attempt('endless')
  assert.ok(endless.isText && endless.body.startsWith('tables: 0é') && endless.size >= 256 * 1024)
  const failed = await attempt('fail')
  assert.deepEqual([failed.status, failed.body], [200, 'tables: '])
  assert.deepEqual(failed.decisions.at(-1).refusal, 'handlerFailed')
})

test('5.35 the log has a stream when it ends: its bytes, and whether the client disconnected or it failed', async () => {
  const gateway = await kit()
  await gateway.call('GET ROWS.v1/')
  const whole = lastAnswer(gateway)
  await gateway.call('GET ROWS.v1/', plan('fail')).catch(() => {})
  await poll(() => lastAnswer(gateway) !== whole)
  const failed = lastAnswer(gateway)
  assert.ok(whole && failed && whole !== failed)
  const left = { ...whole, streamed: { bytes: 4, isWhole: false } }
  const entries = [whole, left, failed].map((answered) => writeEntry(answered, 5, 0))
  assert.deepEqual(
    entries.map(({ message, facts, severity }) => [message.replace(/^.*ROWS\.v1\/ /, ''), facts.bytes, severity]),
    [
      ['answered 200: 9 bytes streamed', 9, 'information'],
      ['answered 200: the client left after 4 bytes were streamed', 4, 'information'],
      ['ROWS_GET.v1: the stream failed after 8 bytes: Error: no more', 8, 'error'],
    ],
  )
  assert.match(String(entries[0]?.messages[1]?.text), /\(9 bytes of a stream\)$/)
})
