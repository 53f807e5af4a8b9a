/**
 * Secrets are sent by every way in, encoded in every way; then every place that is written or read is searched for them, in
 * every form (specification 8.7, 8.10).
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Configuration } from '../../src/configuration/configuration.ts'
import { toAll } from '../../src/model/observation.ts'
import { maskings } from '../../src/observe/masking/masking.ts'
import { openLogs } from '../../src/observe/open-logs.ts'
import { openRecentTransactions } from '../../src/observe/recent-transactions.ts'
import { hasMonitor, openTestAdmin, password, type TestAdmin } from '../support/admin.ts'
import { type Answer, basic, type CallOptions, send } from '../support/client.ts'
import { databases } from '../support/databases.ts'
import { referenceFolder, root } from '../support/gateway.ts'
import { poll } from '../support/poll.ts'
import type { Ordeal, Random, Tally } from './ordeal.ts'
import { type Marks, openMarks } from './secrets-marks.ts'
import { openCollector, readAnswers, readFiles, readTables } from './secrets-places.ts'
import { bodies, headers, queries, unnamed } from './secrets-shapes.ts'

/** Secrets that a trial sends at least. */
const fewest = 80

export const secrets: Ordeal = {
  name: 'secrets',
  title: 'marked secrets by every way in, on both databases, with either masking',
  figure: 'found in no log, table, metric, trace or answer of administration',
  trials: 40,
  open: async ({ say }) => ({
    trial: (index, random) => trial(index, random, say),
    async close() {},
  }),
  judge: ({ sent = 0, places = 0, found = 0, blind = 0 }, trials) => [
    ...(found > 0 ? [`${found} times a secret was found`] : []),
    ...(blind > 0 ? [`${blind} places had nothing of what was sent beside the secrets`] : []),
    ...(sent < fewest * trials ? [`only ${sent} secrets were sent`] : []),
    ...(places < 40 * trials ? [`only ${places} places were searched`] : []),
  ],
}

async function trial(index: number, random: Random, say: (line: string) => void): Promise<Tally> {
  const database = databases[index % databases.length] as (typeof databases)[number]
  const isStrict = index % (2 * databases.length) >= databases.length
  const marks = openMarks(random)
  const places = new Map<string, string>()
  await using stack = new AsyncDisposableStack()
  const folder = makeProject(stack)
  const collector = await openCollector(stack)
  const stdout: string[] = []
  const closers: (() => Promise<void>)[] = []
  const test = await openTestAdmin({ after: stack.defer.bind(stack) } as unknown as TestContext, {
    database,
    folder,
    configure: addFailing,
    environment: { IG_SECRETKEY: marks.secret('ig.secretKey').padEnd(40, '-') },
    properties: {
      ...(hasMonitor && { 'ig.monitor': 'on' }),
      'ig.log.masking': isStrict ? 'strict' : 'known',
      'ig.messageLog.filename': join(folder, 'msgLog.html'),
      'ig.errorLog.filename': join(folder, 'errorLog.html'),
      'ig.tracing.endpoint': `${collector.url}?api_key=${marks.secret('ig.tracing.endpoint')}`,
    },
    read(settings) {
      const { observe, close } = openLogs(
        { log: { ...settings.log, level: 5 } },
        { write: (line) => stdout.push(line) },
      )
      const recent = openRecentTransactions({ folder, keep: 1000, masking: maskings[settings.log.masking] })
      closers.push(close, recent.close)
      return toAll([observe, recent.observe])
    },
  })
  const transactions = await sendAll(test, marks, isStrict)
  for (const close of closers) await close()
  for (const { traces, close } of test.features) if (traces) await close?.()
  await readAnswers(test, places, transactions)
  await readTables(test.opened.gateway.settings.database, places)
  readFiles(folder, places)
  places.set('standard output', stdout.join(''))
  places.set('traces', collector.spans.join('\n'))

  const found = [...places].flatMap(([place, text]) => marks.find(text).map((what) => `${what} in ${place}`))
  const traced = test.opened.gateway.tracing ? ['traces'] : []
  const blind = [...witnesses, ...traced].filter((place) => !places.get(place)?.includes(marks.readable))
  for (const leak of found) say(`${database.name}: ${leak}`)
  for (const place of blind) say(`${database.name}: nothing of the calls in ${place}`)
  return { sent: marks.sent(), places: places.size, found: found.length, blind: blind.length }
}

/** Where something of each call must be. */
const witnesses = [
  'msgLog.html',
  'errorLog.html',
  'data/recent-transactions.jsonl',
  'table ig_audit',
  'GET /api/audit?limit=500 as viewer',
  'GET /api/logs/error?limit=500 as viewer',
  'standard output',
  ...(hasMonitor
    ? ['table ig_monitor', 'messages of the monitor', 'GET /api/monitor/transactions?limit=100 as administrator']
    : []),
]

/** @returns the ids of all calls */
async function sendAll(test: TestAdmin, marks: Marks, isStrict: boolean): Promise<readonly string[]> {
  const { opened, ask } = test
  const { secret, readable } = marks
  const ids: string[] = []
  const call = async (line: string, options: CallOptions = {}): Promise<Answer> => {
    const answer = await send(opened.url, line, options)
    if (answer.headers['ig-transaction-id']) ids.push(answer.headers['ig-transaction-id'])
    return answer
  }
  for (const fixture of [
    password,
    'demo-password',
    'demo-secret',
    Buffer.from('DEMO:demo-password').toString('base64'),
  ])
    marks.add(`a secret of the tests, ${fixture}`, fixture)
  const demo = basic('DEMO')
  for (const { text } of queries(marks)) {
    await call(`GET ${root}/ECHO.v1/echo/${readable}?${text}`)
    await call(`GET ${root}/NOWHERE.v1/${readable}?${text}`, { headers: demo })
  }
  const [query] = queries(marks)
  for (const path of [
    `/elsewhere/${readable}`,
    `${root}/ECHO.v1/nothing`,
    `${root}/ECHO.v1/echo/%zz`,
    `${root}/CACHED_TIME.v1/`,
  ])
    await call(`GET ${path}?${query?.text}`, { headers: demo })
  await call(`GET ${root}/ECHO.v1/echo/${readable}`, { headers: headers(marks) })
  await call(`POST ${root}/KEY_VALUE.v1`, { headers: { ...demo, ...headers(marks) }, body: '<request/>' })
  for (const { text } of [...bodies(marks), ...(isStrict ? unnamed(marks) : [])]) {
    await call(`POST ${root}/KEY_VALUE.v1`, { headers: demo, body: text })
    await call(`POST ${root}/FAILING.v1`, { headers: demo, body: text })
  }
  await call(`GET ${root}/METADATA_BASIC.v1/`, { headers: basic('DEMO', secret('a wrong password')) })
  await call(`GET ${root}/METADATA_BASIC.v1/`, { headers: basic(secret('a password as a name').slice(0, 30), 'x') })
  for (const scheme of ['Bearer', 'Digest', 'Basic'])
    await call(`GET ${root}/METADATA_OAUTH2.v1/`, { headers: { authorization: `${scheme} ${secret(scheme)}` } })
  const token = ['{"alg":"RS256"}', `{"sub":"${secret('a claim')}"}`].map((part) =>
    Buffer.from(part).toString('base64url'),
  )
  await call(`GET ${root}/METADATA_OAUTH2.v1/`, { headers: { authorization: `Bearer ${token.join('.')}.x` } })
  if (isStrict) {
    const others = { 'x-other': secret('another header'), accept: secret('accept') }
    await call(`GET ${root}/ECHO.v1/echo/${readable}?other=${secret('another parameter')}`, { headers: others })
    await call(`GET ${root}/ECHO.v1/${secret('another path')}/${secret('another segment')}`)
    await call(`GET /${secret('another root')}?${secret('a bare query')}`)
  }
  await administer(test, marks)
  const last = `GET /api/monitor/transactions?transactionId=${ids.at(-1)}`
  await poll(async () => !hasMonitor || (await ask(last)).body.items.length > 0)
  return ids
}

async function administer({ ask, sessionOf }: TestAdmin, marks: Marks): Promise<void> {
  const { secret, readable, add } = marks
  const asNobody = (body: object) => ask('POST /api/session', { as: 'nobody', body })
  await asNobody({ name: 'an administrator', password: secret('a wrong password of administration') })
  await asNobody({ name: secret('a password as the name of an administrator'), password: 'x' })
  await ask('POST /api/invitation', {
    as: 'nobody',
    body: { token: secret('a link'), name: 'kim', password: secret('a first password') },
  })
  await ask('POST /api/administrators', {
    body: { name: 'sam', role: 'viewer', password: secret('a password of administration') },
  })
  await ask('POST /api/operators', { body: { id: 'SAM', password: secret('a password of an operator') } })
  await ask('PUT /api/operators/SAM/password', { body: { password: secret('another password of an operator') } })
  const made = await ask('POST /api/tokens', { body: { name: readable, role: 'viewer', days: 1 } })
  add('an API token', String(made.body.token ?? made.body.secret ?? secret('no token was made')))
  const { cookie = '' } = await sessionOf('administrator')
  add('a session', cookie.split('=')[1] ?? '')
  const tried = queries(marks)[0]?.text
  const trial = {
    method: 'POST',
    path: `/FAILING.v1/?${tried}`,
    operator: 'DEMO',
    body: `{"password":"${secret('a tried body')}"}`,
  }
  await ask('POST /api/try', { body: { ...trial, headers: [{ name: 'x-api-key', value: secret('a tried header') }] } })
  await ask(`DELETE /api/rest-cache/CACHED_TIME_GET.v1/entry?url=${encodeURIComponent(`/x?${tried}`)}`)
}

/** Bodies of all operations are kept; one has a handler that fails, and says what it was given. */
function addFailing(configuration: Configuration): Configuration {
  const [first] = configuration.operations.filter(({ name, method }) => name === 'KEY_VALUE' && method === 'POST')
  if (!first) throw new Error('no KEY_VALUE_POST')
  const failing = { ...first, name: 'FAILING', alias: 'FAILING', handler: 'handlers/failing.ts' }
  const operations = [...configuration.operations, failing].map((each) => ({
    ...each,
    logDetail: 'headerAndDetail' as const,
    logFields: ['n'],
  }))
  return { ...configuration, operations }
}

const failingHandler = `
export default class Failing {
  async onRequest(request, context) {
    const body = await request.getContentString()
    const detail = { password: body, connectionString: body, deep: [{ apiKey: body }] }
    context.log.warning('noticed', detail)
    const cause = new Error('password=' + JSON.stringify(body))
    if (body.length % 2) await context.database.insertRows('C_NOWHERE', ['PASSWORD'], [[body]])
    throw new Error('cannot use ' + body, { cause })
  }
}
`

function makeProject(stack: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'ig-secrets-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(referenceFolder, folder, { recursive: true, filter: (path) => !/\/(?:data|node_modules|test)$/.test(path) })
  mkdirSync(join(folder, 'data'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(referenceFolder, '../..'), join(folder, 'node_modules/integration-gateway'))
  writeFileSync(join(folder, 'handlers/failing.ts'), failingHandler)
  return folder
}
