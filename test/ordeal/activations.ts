/**
 * What remains after activations and calls with new values each time (specification 13.7). One
 * process with all that `ig start` has around its gateway; calls come pipelined over keep-alive connections.
 */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Configuration } from '../../src/configuration/configuration.ts'
import { parseConfiguration } from '../../src/configuration/parse-configuration.ts'
import { digestConfiguration, writeDocument } from '../../src/configuration/revision.ts'
import type { RequestMessage } from '../../src/model/content/message.ts'
import type { Handler, HandlerContext } from '../../src/model/handler.ts'
import { toAll } from '../../src/model/observation.ts'
import { openLogs } from '../../src/observe/open-logs.ts'
import { openRecentTransactions } from '../../src/observe/recent-transactions.ts'
import { openGateway } from '../../src/serve/open-gateway.ts'
import { openFeatures } from '../../src/serve/open-process.ts'
import { openProcessCounters } from '../../src/serve/process-counters.ts'
import { readSettings } from '../../src/settings.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { makeKey, openTestIssuer, type TestIssuer } from '../support/issuer.ts'
import type { Ordeal } from './ordeal.ts'

export interface Amount {
  readonly trials: number
  /** Of a trial. */
  readonly activations: number
  readonly calls: number
  /** Trials before the figures that the others are compared with: caches are full by then. */
  readonly warmUp: number
  /** Trials from one look at the heap to the next: bounded caches are as full then as they were. */
  readonly pollInterval: number
}

const full: Amount = { trials: 100, activations: 20, calls: 100_000, warmUp: 10, pollInterval: 10 }

export const activations = describeActivations(full)

export function describeActivations(amount: Amount): Ordeal {
  const { trials, activations: each, calls, warmUp, pollInterval } = amount
  const [activated, called] = [trials * each, trials * calls].map((count) => count.toLocaleString('en-US'))
  return {
    name: 'activations',
    title:
      'revisions activated while calls with ever new paths, queries, cache keys and tokens come over keep-alive connections',
    figure: `${activated} activations, ${called} calls, none unexpected; heap after a full collection, descriptors and threads within 5 %`,
    trials,
    async open({ say }) {
      await using opened = new AsyncDisposableStack()
      const place = await openPlace(opened, amount)
      for (let round = 0; round < warmUp; round += 1) {
        say(`warming up, ${round} of ${warmUp}`)
        await place.work()
      }
      const before = await place.look()
      const closing = opened.move()
      return {
        async trial(index) {
          const counted = await place.work()
          if ((index + 1) % pollInterval !== 0) return counted
          const after = await place.look()
          const growth = (name: keyof Figures) => (100 * (after[name] - before[name])) / before[name]
          return {
            ...counted,
            looks: 1,
            maxHeapPercent: growth('heap'),
            maxDescriptorsPercent: growth('descriptors'),
            maxThreadsPercent: growth('threads'),
            maxHeapMegabytes: after.heap / 1e6,
          }
        },
        close: () => closing.disposeAsync(),
      }
    },
    judge(tally, done) {
      const limits: readonly (readonly [name: string, least: number, most: number])[] = [
        ['activations', done * each, done * each],
        ['calls', done * calls, done * calls],
        ['unexpected', 0, 0],
        ['looks', Math.floor(done / pollInterval), Number.POSITIVE_INFINITY],
        ['maxHeapPercent', Number.NEGATIVE_INFINITY, 5],
        ['maxDescriptorsPercent', Number.NEGATIVE_INFINITY, 5],
        ['maxThreadsPercent', Number.NEGATIVE_INFINITY, 5],
      ]
      const isLooked = done >= pollInterval
      return limits.flatMap(([name, least, most]) => {
        const value = tally[name] ?? (isLooked || !name.startsWith('max') ? Number.NaN : 0)
        return value >= least && value <= most ? [] : [`${name} is ${value}, not from ${least} to ${most}`]
      })
    },
  }
}

interface Figures {
  readonly heap: number
  readonly descriptors: number
  readonly threads: number
}

/** Milliseconds between two rounds, by the clock of the gateway: a quarter of an hour of counts is kept, not of this run. */
const roundTime = 5 * 60_000

/** Logs and monitor have rows to write: collections that find no smaller heap before it counts, and the milliseconds between them. */
const passes = 10
const passPause = 200

const names = Array.from({ length: 50 }, (_, at) => `VALUE_${at}`)

async function openPlace(opened: AsyncDisposableStack, amount: Amount) {
  const folder = mkdtempSync(join(tmpdir(), 'ig-activations-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const issuer = await openTestIssuer()
  opened.defer(issuer.stop)
  issuer.keys = [await makeKey({ alg: 'ES256' })]
  const given = {
    'ig.port': '0',
    'ig.database': join(folder, 'gateway.sqlite'),
    'ig.AuthorizationServer': 'PROVIDER',
    'ig.JSONWebKey': issuer.jwksUrl,
    'ig.oauth.userMapping': 'sub',
    'ig.limits.cacheEntries': '1000',
    'ig.messageLog.filename': join(folder, 'msgLog.html'),
    'ig.errorLog.filename': join(folder, 'errorLog.html'),
  }
  const options = Object.entries(given).map(([key, value]) => [key, { value, option: 'ordeal' }])
  const settings = readSettings(folder, {}, Object.fromEntries(options))

  const logs = openLogs(settings, { write: () => true })
  opened.defer(logs.close)
  const recent = openRecentTransactions({ folder, keep: settings.recentTransactions })
  opened.defer(recent.close)
  const features = await openFeatures({
    ...{ settings, worker: undefined, workers: 1, administers: true, servesCalls: true, runsJobs: false },
    ...{ isDevelopment: true, observe: logs.observe, reportCounts() {} },
  })
  for (const { close } of features) if (close) opened.defer(close)
  const measuring = openProcessCounters({ settings, features, counts: () => ({}) })
  if (!measuring) throw new Error('nothing is counted')
  opened.defer(async () => measuring.close())
  const handlers = new Map([['value.ts', Value]])
  let ahead = 0
  const now = () => Date.now() + ahead
  const gateway = await openGateway({
    project: { configuration: configure(names, issuer), handlers, migrations: [] },
    settings,
    observe: toAll([logs, recent, ...features, measuring].flatMap((reader) => reader.observe ?? [])),
    findHandlers: async () => ({ handlers }),
    now,
    prepare: async (store) => {
      for (const id of ['GUEST', ...operators]) await store.operators.add({ id, permissionLists: ['ALL'] })
    },
  })
  opened.defer(gateway.close)
  measuring.watch(gateway.gateway, gateway.count)
  const { store } = gateway.gateway
  const configuration = configure(names.toReversed(), issuer)
  const second = { document: writeDocument(configuration), digest: digestConfiguration(configuration) }
  await store.revisions.add(second, { expectedActive: 1, time: Date.now() })

  let value = 0
  const activate = async () => {
    for (let count = 0; count < amount.activations; count += 1) {
      const active = (await store.revisions.active())?.revision ?? 0
      const next = 3 - active
      await store.revisions.activate(next, { expectedActive: active, time: Date.now() })
      while (gateway.gateway.catalog.revision !== next) await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  return {
    async work() {
      const from = value
      value += amount.calls
      ahead += roundTime
      issuer.now = now()
      const [, answers] = await Promise.all([activate(), callAll(gateway.url, from, amount.calls, issuer)])
      const { expected, received } = answers
      const unexpected = Object.keys({ ...expected, ...received }).reduce(
        (sum, status) => sum + Math.max(0, (received[status] ?? 0) - (expected[status] ?? 0)),
        0,
      )
      const calls = Object.values(received).reduce((sum, count) => sum + count, 0)
      return { activations: amount.activations, calls, unexpected }
    },
    async look(): Promise<Figures> {
      while (gateway.count().connections > 0) await new Promise(setImmediate)
      await gateway.gateway.restCache.list({ offset: 0, limit: 0 }) // waits for rows being stored
      let heap = Number.POSITIVE_INFINITY
      for (let pass = 0; pass < passes; pass += 1) {
        collectGarbage()
        const { heapUsed } = process.memoryUsage()
        if (heapUsed < 0.999 * heap) pass = 0
        heap = Math.min(heap, heapUsed)
        await new Promise((resolve) => setTimeout(resolve, passPause))
      }
      const [descriptors, threads] = ['/proc/self/fd', '/proc/self/task'].map((path) => readdirSync(path).length)
      return { heap, descriptors: descriptors ?? 0, threads: threads ?? 0 }
    },
  }
}

class Value implements Handler {
  async onRequest(request: RequestMessage, { broker, now }: HandlerContext) {
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString('a value')
    if (request.operationName.endsWith('_0')) response.setRestCache(now() + 60_000)
    return response
  }
}

function configure(order: readonly string[], { metadataUrl }: TestIssuer): Configuration {
  const operation = { service: 'S', method: 'GET', handler: 'value.ts' }
  const parsed = parseConfiguration({
    nodes: [
      { name: 'LOCAL_NODE', isDefaultLocal: true },
      { name: 'ANONYMOUS', defaultUser: 'GUEST' },
    ],
    services: [{ name: 'S' }],
    documents: [{ name: 'D', elements: { path: { type: 'String' }, query: { type: 'String' } } }],
    messages: [{ name: 'M', document: 'D' }],
    operations: [
      ...order.map((name) => ({ ...operation, name, uriTemplates: ['of/{path}?q={query}'], documentTemplate: 'M' })),
      { ...operation, name: 'TOKEN', verification: 'OAuth2', uriTemplates: ['/'] },
    ],
    permissionLists: [{ name: 'ALL', services: ['S'] }],
    oauth2ServiceApps: [{ name: 'PROVIDER', metadataUrl }],
  })
  if ('configuration' in parsed) return parsed.configuration
  throw new Error(JSON.stringify(parsed.problems))
}

const operators = Array.from({ length: 100 }, (_, at) => `OPERATOR_${at}`)
const root = '/PSIGW/RESTListeningConnector/LOCAL_NODE'

/** Of a thousand calls: a token, a rejected one, operations that do not exist, responses that are cached, then the usual. */
async function writeCall(
  value: number,
  issuer: TestIssuer,
): Promise<readonly [status: string, path: string, header?: string]> {
  const kind = value % 1000
  if (kind < 10) {
    const token = await issuer.sign({ claims: { sub: operators[value % operators.length], jti: String(value) } })
    return ['200', `${root}/TOKEN.v1/`, `Authorization: Bearer ${token}\r\n`]
  }
  if (kind < 20) return ['401', `${root}/TOKEN.v1/`, `Authorization: Bearer no.token.${value}\r\n`]
  if (kind < 30) return ['404', `/elsewhere/${value}`]
  if (kind < 50) return ['200', `${root}/VALUE_0.v1/of/path-${value}?q=query-${value}`]
  return ['200', `${root}/VALUE_${1 + (value % 49)}.v1/of/path-${value}?q=query-${value}`]
}

type Counts = Record<string, number>

/** By connections that are new each time, each with so many calls in flight. */
const connections = 16
const inFlight = 50

async function callAll(url: string, from: number, count: number, issuer: TestIssuer) {
  const expected: Counts = {}
  const received: Counts = {}
  let next = from
  const stream = async () => {
    const { hostname: host, port } = new URL(url)
    const socket = connect({ host, port: Number(port) })
    await once(socket, 'connect')
    const read = countReplies(socket, received)
    while (next < from + count) {
      const values = Array.from({ length: Math.min(inFlight, from + count - next) }, (_, at) => next + at)
      next += values.length
      const written = await Promise.all(values.map((value) => writeCall(value, issuer)))
      for (const [status] of written) expected[status] = (expected[status] ?? 0) + 1
      socket.write(written.map(([, path, header = '']) => `GET ${path} HTTP/1.1\r\nHost: h\r\n${header}\r\n`).join(''))
      await read(values.length)
    }
    socket.end()
    await once(socket, 'close')
  }
  await Promise.all(Array.from({ length: connections }, stream))
  return { expected, received }
}

/** Counts status lines; no body here has one. @returns waits for so many more */
function countReplies(socket: ReturnType<typeof connect>, received: Counts) {
  const begin = 'HTTP/1.1 '
  let rest = ''
  let missing = 0
  let wake = () => {}
  let fail = (_: Error) => {}
  socket.setEncoding('latin1')
  socket.on('data', (data: string) => {
    const text = rest + data
    let end = 0
    for (let at = text.indexOf(begin); at >= 0 && at + begin.length + 3 <= text.length; at = text.indexOf(begin, end)) {
      end = at + begin.length + 3
      const status = text.slice(end - 3, end)
      received[status] = (received[status] ?? 0) + 1
      missing -= 1
    }
    rest = text.slice(Math.max(end, text.length - begin.length - 3))
    if (missing <= 0) wake()
  })
  socket.on('close', () => fail(new Error(`the gateway closed a connection with ${missing} replies to come`)))
  return (count: number) => {
    missing += count
    return new Promise<void>((resolve, reject) => {
      wake = resolve
      fail = reject
    })
  }
}
