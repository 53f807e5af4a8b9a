/** Traces, as a collector receives them (specification 20.12 to 20.14). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { findTracingProblems, loadOpenTelemetry } from '../../../src/features/tracing/load-open-telemetry.ts'
import { openTracingOf } from '../../../src/features/tracing/open.ts'
import { describeCall } from '../../../src/features/tracing/trace-call.ts'
import { openTracing } from '../../../src/features/tracing/tracing.ts'
import type { RequestMessage } from '../../../src/model/content/message.ts'
import type { Handler, HandlerContext } from '../../../src/model/handler.ts'
import type { Observation } from '../../../src/model/observation.ts'
import { toAll } from '../../../src/model/observation.ts'
import { steps } from '../../../src/model/step.ts'
import { maskings } from '../../../src/observe/masking/masking.ts'
import { openProject } from '../../../src/project/open-project.ts'
import { addSampleOperators } from '../../../src/serve/sample-operators.ts'
import { readSettings } from '../../../src/settings.ts'
import { basic } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { openServed, readTestSettings, referenceFolder, root } from '../../support/gateway.ts'
import { hashOnce } from '../../support/hash-once.ts'
import { openPlanned } from '../../support/planned.ts'
import { runVerb } from '../../support/run-verb.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly traceState?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: { readonly code: number }
}

/** A collector that keeps what it receives, and responds as configured. */
async function openCollector(t: TestContext) {
  const spans: Span[] = []
  const resources: Readonly<Record<string, unknown>>[] = []
  const received: IncomingHttpHeaders[] = []
  const plan = { status: 200 }
  const server = createServer(async (request, response) => {
    // biome-ignore lint/suspicious/noExplicitAny: what came is looked at below
    const body = (await json(request)) as any
    assert.deepEqual(
      [request.method, request.url, request.headers['content-type']],
      ['POST', '/v1/traces', 'application/json'],
    )
    if (plan.status === 200) {
      for (const { resource, scopeSpans } of body.resourceSpans) {
        resources.push(readAttributes(resource.attributes))
        for (const { spans: some } of scopeSpans)
          for (const span of some) spans.push({ ...span, attributes: readAttributes(span.attributes) })
      }
    }
    received.push(request.headers)
    response.writeHead(plan.status, { 'content-type': 'application/json' }).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  return {
    spans,
    resources,
    received,
    plan,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
  }
}

function readAttributes(list: readonly { key: string; value: Record<string, unknown> }[]) {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]))
}

class Outgoing implements Handler {
  onRequest(request: RequestMessage, context: HandlerContext) {
    const response = context.broker.createMessage(request.operationName, 'response')
    response.setContentString(JSON.stringify(context.traceHeaders))
    return response
  }
}

class Failing implements Handler {
  onRequest(): never {
    throw new Error('secret of the inside')
  }
}

const load = (endpoint: string, environment: NodeJS.ProcessEnv = {}) => {
  const openTelemetry = loadOpenTelemetry(endpoint, { 'service.name': 'test' }, environment)
  assert.ok(openTelemetry)
  return { endpoint, openTelemetry }
}

/** Of the SDK's own variables, which it reads from the process. */
function setVariables(t: TestContext, variables: Readonly<Record<string, string>>): void {
  const before = { ...process.env }
  Object.assign(process.env, variables)
  t.after(() => {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  })
}

async function openTraced(t: TestContext, endpoint: string, ratio?: number) {
  const place = await findDatabase('SQLite').open()
  t.after(() => place.remove())
  const project = await openProject(referenceFolder)
  const settings = readTestSettings(referenceFolder, { 'ig.database': place.url })
  const observations: Observation[] = []
  const observe = (observation: Observation) => void observations.push(observation)
  const tracing = openTracing({ ...load(endpoint), ratio, observe })
  t.after(tracing.close)
  const handlers = new Map<string, new () => object>([
    ...project.handlers,
    ['handlers/metadata.ts#Metadata', Outgoing],
    ['handlers/echo.ts#Echo', Failing],
  ])
  for (const key of ['handlers/metadata.ts#Metadata', 'handlers/echo.ts#Echo'])
    assert.ok(project.handlers.has(key), key)
  const opened = await openServed({
    project: { ...project, handlers },
    settings,
    observe: toAll([observe, tracing.observe]),
    tracing,
    prepare: async (store) => void (await addSampleOperators(store, project.sampleOperators, hashOnce)),
  })
  t.after(() => opened.close())
  const call = (line: string, headers: Record<string, string> = {}) => opened.call(line, { headers })
  return { call, tracing, observations }
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const caller = '00f067aa0ba902b7'

const spansOfCall = 1 + steps.length

test('20.12, 20.13 a call that its caller traces becomes a span below the caller’s, with a span for each step', async (t) => {
  const { spans, resources, endpoint } = await openCollector(t)
  const { call, tracing } = await openTraced(t, endpoint, 0)
  const headers = { traceparent: `00-${traceId}-${caller}-01`, tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE' }
  const { text } = await call('GET METADATA.v1/', headers)
  await call('GET METADATA.v1/') // its caller does not decide, and the ratio is 0
  await call('GET METADATA.v1/', { traceparent: `00-${traceId}-${caller}-00` })
  await tracing.flush()
  const [first, ...below] = spans
  assert.deepEqual(
    [first?.name, first?.kind, first?.traceId, first?.parentSpanId, first?.traceState, first?.status.code],
    ['METADATA_GET.v1', 2, traceId, caller, headers.tracestate, 0],
  )
  assert.deepEqual(
    below.map(({ name }) => name),
    [...steps],
  )
  for (const span of below) assert.deepEqual([span.traceId, span.parentSpanId, span.kind], [traceId, first?.spanId, 1])
  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spansOfCall)
  for (const [index, { startTimeUnixNano, endTimeUnixNano }] of below.entries()) {
    assert.equal(startTimeUnixNano, index === 0 ? first?.startTimeUnixNano : below[index - 1]?.endTimeUnixNano)
    assert.ok(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano))
  }
  assert.equal(first?.endTimeUnixNano, below.at(-1)?.endTimeUnixNano)
  const { 'ig.operation': operation, 'http.response.status_code': status, 'url.path': path } = first?.attributes ?? {}
  assert.deepEqual([operation, status, path], ['METADATA_GET.v1', 200, `${root}/METADATA.v1/`])
  assert.deepEqual(resources, [{ 'service.name': 'test' }])
  const handler = below.find(({ name }) => name === 'handler')
  const sent = { traceparent: `00-${traceId}-${handler?.spanId}-01`, tracestate: headers.tracestate }
  assert.deepEqual(JSON.parse(text), sent, '20.14 what the handler calls is below its span')
})

test('20.13 a traced call has the whole route, the server that its caller asked for, and the query without secrets', async (t) => {
  const { spans, endpoint } = await openCollector(t)
  const { call, tracing } = await openTraced(t, endpoint, 1)
  const host = { host: '[::1]:8443' }
  await call('GET KEY_VALUE.v1/any?transaction=t1&token=hunter2', { ...basic('DEMO'), ...host })
  await call('GET KEY_VALUE.v1/any?transaction=t1', { ...basic('DEMO'), ...host })
  await call('GET NO_SUCH.v1/', { host: 'example.test' })
  await call('GET KEY_VALUE.v1/any', { ...basic('nobody'), ...host })
  await call('GET KEY_VALUE.v1/any/other', { ...basic('nobody'), ...host })
  await tracing.flush()
  const names = ['http.route', 'server.address', 'server.port', 'url.query']
  const attributes = spans
    .filter(({ kind }) => kind === 2)
    .map(({ attributes }) => names.map((name) => attributes[name]))
  assert.deepEqual(attributes, [
    [`${root}/KEY_VALUE.v1/{key}`, '::1', 8443, 'transaction=t1&token=[redacted]'],
    [`${root}/KEY_VALUE.v1/{key}`, '::1', 8443, 'transaction=t1'],
    [undefined, 'example.test', undefined, undefined],
    [`${root}/KEY_VALUE.v1/{key}`, '::1', 8443, undefined],
    [undefined, '::1', 8443, undefined],
  ])
})

test('20.16 each statement of a handler is a span below the handler’s: what it does to which table, without a value', async (t) => {
  const { spans, endpoint } = await openCollector(t)
  const { call, tracing } = await openTraced(t, endpoint, 1)
  await call('GET KEY_VALUE.v1/hunter2', basic('DEMO'))
  await call('DELETE KEY_VALUE.v1/hunter2', basic('DEMO'))
  await tracing.flush()
  const statements = spans.filter(({ kind }) => kind === 3)
  const system = { 'db.system.name': 'sqlite' }
  assert.deepEqual(
    statements.map(({ name, attributes }) => [name, attributes]),
    [
      ['SELECT C_KEY_VALUE', { ...system, 'db.operation.name': 'SELECT', 'db.query.summary': 'SELECT C_KEY_VALUE' }],
      ['DELETE C_KEY_VALUE', { ...system, 'db.operation.name': 'DELETE', 'db.query.summary': 'DELETE C_KEY_VALUE' }],
      ['COMMIT', { ...system, 'db.operation.name': 'COMMIT', 'db.query.summary': 'COMMIT' }],
    ],
  )
  const handlers = spans.filter(({ name }) => name === 'handler').map(({ spanId }) => spanId)
  assert.deepEqual(
    statements.map(({ parentSpanId }) => handlers.indexOf(parentSpanId ?? '')),
    [0, 1, 1],
  )
  assert.ok(!JSON.stringify(statements).includes('hunter2'))
})

test('26.11 the trace of a repeated answer says so', async (t) => {
  const gateway = await openPlanned()
  t.after(() => gateway.close())
  await gateway.ask('POST', { headers: { 'idempotency-key': 'k' } })
  await gateway.ask('POST', { headers: { 'idempotency-key': 'k' } })
  const replays = gateway.observations.flatMap((one) =>
    one.kind === 'answered' ? [describeCall(one, maskings.known).attributes['ig.replay']] : [],
  )
  assert.deepEqual(replays, [undefined, 'whole'])
})

test('20.13 a refusal is recorded at the step that refused, and no span has a secret of the URL', async (t) => {
  const { spans, endpoint } = await openCollector(t)
  const { call, tracing } = await openTraced(t, endpoint, 1)
  await call('GET METADATA_BASIC.v1/?token=hunter2', basic('DEMO', 'wrong-hunter2'))
  await call('GET NO_SUCH.v1/')
  await call('GET /healthz')
  await call('GET ECHO.v1/echo/x', basic('DEMO'))
  await tracing.flush()
  const roots = spans.filter(({ kind }) => kind === 2)
  assert.deepEqual(
    roots.map(({ name, status, attributes }) => [name, status?.code, attributes['ig.refusal']]),
    [
      ['METADATA_BASIC_GET.v1', 0, 'basicRejected'],
      ['GET', 0, 'operationNotFound'],
      ['ECHO_GET.v1', 2, 'handlerFailed'],
    ],
  )
  const lastOf = (parent: Span | undefined) => spans.findLast(({ parentSpanId }) => parentSpanId === parent?.spanId)
  assert.deepEqual(
    roots.map((each) => [lastOf(each)?.name, lastOf(each)?.status?.code]),
    [
      ['authentication', 0],
      ['operation', 0],
      ['handler', 2],
    ],
  )
  assert.ok(!/hunter2|secret/.test(JSON.stringify(spans)))
})

test('20.12 a collector that accepts nothing costs spans, which are counted and reported once, and never a call', async (t) => {
  setVariables(t, { OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '500' }) // less than the pause before another attempt
  const { spans, plan, endpoint } = await openCollector(t)
  const { call, tracing, observations } = await openTraced(t, endpoint, 1)
  const told = () =>
    observations.flatMap((each) => (each.kind === 'event' && /^traces/.test(each.name) ? [each.name] : []))
  plan.status = 503
  for (let times = 0; times < 600; times += 1) assert.equal((await call('GET METADATA.v1/')).status, 200)
  await tracing.flush()
  assert.deepEqual(
    [tracing.spans, spans.length, told()],
    [{ exported: 0, dropped: 600 * spansOfCall }, 0, ['tracesLost']],
  )
  plan.status = 200
  await call('GET METADATA.v1/')
  await tracing.flush()
  assert.deepEqual(
    [tracing.spans, spans.length, told()],
    [{ exported: spansOfCall, dropped: 600 * spansOfCall }, spansOfCall, ['tracesLost', 'tracesBack']],
  )
})

test('20.12 spans that arrive faster than they can be sent are dropped and counted', async (t) => {
  setVariables(t, { OTEL_BSP_MAX_QUEUE_SIZE: '8192', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1024' })
  const hanging = createServer(() => {})
  await once(hanging.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    hanging.closeAllConnections()
    hanging.close()
  })
  const endpoint = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/v1/traces`
  const tracing = openTracing({ ...load(endpoint), ratio: 1, observe() {} })
  const call = { method: 'GET', target: '/', headers: {}, isSecure: false, remoteAddress: '127.0.0.1' }
  for (let times = 0; times < 6000; times += 1) {
    const trace = tracing.begin(undefined, traceId, 1)
    const transaction = {
      id: 'a',
      begun: 0,
      sessionId: '',
      isSecure: false,
      ecid: traceId,
      rid: '0',
      trace,
      target: { kind: 'operation' } as never,
    }
    const reply = { status: 200, headers: [], body: { bytes: Buffer.alloc(0) } }
    tracing.observe({ kind: 'answered', call: call as never, transaction, reply, ended: 0 })
  }
  assert.equal(tracing.spans.dropped, (6000 - 4096 - 512) * 2, 'one batch is on its way, and so many wait')
  hanging.closeAllConnections()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const closed = tracing.close()
  t.mock.timers.tick(3_000) // so long it waits for the collector
  await closed
  assert.equal(tracing.spans.dropped, 12_000)
})

test('20.12 the ratio decides by trace id, in the same way in every gateway', () => {
  const open = (ratio: number) => openTracing({ ...load('http://127.0.0.1:1'), ratio, observe() {} })
  const isTraced = (ratio: number, id: string) => open(ratio).begin(undefined, id, 1) !== undefined
  const [low, high] = [`${'0'.repeat(24)}1fffffff`, `${'0'.repeat(24)}ffffffff`]
  assert.deepEqual(
    [0, 0.1, 0.2, 1].map((ratio) => [isTraced(ratio, low), isTraced(ratio, high)]),
    [
      [false, false],
      [false, false],
      [true, false],
      [true, true],
    ],
  )
})

test('20.12 the variables of OpenTelemetry set sampler, resource and headers; ig.tracing.ratio takes precedence over the sampler', async (t) => {
  const { resources, received, spans, endpoint } = await openCollector(t)
  setVariables(t, {
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    OTEL_SERVICE_NAME: 'orders',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=acme',
  })
  const openFor = async (given: Readonly<Record<string, string>>) => {
    const overrides = Object.entries({ 'ig.tracing.endpoint': endpoint, ...given })
    const options = Object.fromEntries(overrides.map(([key, value]) => [key, { value, option: 'test' }]))
    const tracing = openTracingOf(readSettings(referenceFolder, {}, options), () => {})
    assert.ok(tracing)
    t.after(tracing.close)
    return tracing
  }
  const bySampler = await openFor({})
  assert.equal(bySampler.begin(undefined, traceId, 1), undefined)
  assert.ok(bySampler.begin({ traceId, spanId: caller, flags: '01', state: undefined }, traceId, 1))
  assert.ok((await openFor({ 'ig.tracing.ratio': '1' })).begin(undefined, traceId, 1))

  const { call, tracing } = await openTraced(t, endpoint, undefined)
  await call('GET METADATA.v1/')
  await call('GET METADATA.v1/', { traceparent: `00-${traceId}-${caller}-01` })
  await tracing.flush()
  assert.deepEqual([spans.length, received[0]?.['x-tenant']], [spansOfCall, 'acme'])
  assert.deepEqual(resources[0], { 'service.name': 'orders', 'deployment.environment.name': 'test' })
})

test('20.12 the variables of OpenTelemetry choose the exporter; without its package calls are served untraced, and the log names what to install', () => {
  const open = (environment: NodeJS.ProcessEnv) => loadOpenTelemetry('http://127.0.0.1:1', {}, environment)
  assert.equal(open({ OTEL_TRACES_EXPORTER: 'console' })?.exporter.constructor.name, 'ConsoleSpanExporter')
  assert.equal(open({ OTEL_TRACES_EXPORTER: 'none' }), undefined)
  assert.equal(open({ OTEL_SDK_DISABLED: 'true' }), undefined)
  assert.throws(
    () => open({ OTEL_TRACES_EXPORTER: 'carrier-pigeon' }),
    /ig\.tracing\.endpoint takes traces by one of otlp http\/json, .*, console; OTEL_\* names carrier-pigeon$/,
  )
  const message =
    "needs OpenTelemetry's SDK, which is not installed here: " +
    'npm install @opentelemetry/sdk-trace-base@2 @opentelemetry/exporter-trace-otlp-grpc@0.223'
  const environment = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  assert.deepEqual(findTracingProblems(environment), [{ path: 'ig.tracing.endpoint', message }])
  assert.throws(() => open(environment), { problems: findTracingProblems(environment) })
  const told: Observation[] = []
  const settings = readSettings(
    referenceFolder,
    {},
    { 'ig.tracing.endpoint': { value: 'http://127.0.0.1:1', option: 'test' } },
  )
  assert.equal(
    openTracingOf(settings, (one) => void told.push(one), environment),
    undefined,
  )
  const event = { kind: 'event', level: 'error', name: 'tracesMissing' }
  assert.deepEqual(told, [{ ...event, message: `Calls are not traced: ig.tracing.endpoint ${message}` }])
})

test('20.12 ig check names the command that installs what is missing, as a warning', async () => {
  const env = { IG_TRACING_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  const check = async (given: Record<string, string>) => {
    const { code, stdout } = await runVerb(['check', '--json'], { cwd: referenceFolder, env: given, input: '' })
    return [code, JSON.parse(stdout).warnings]
  }
  assert.deepEqual(await check(env), [0, findTracingProblems(env)])
  assert.deepEqual(await check({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }), [0, []])
})
