/**
 * The testing kit: a complete gateway in the test's process, with its own store and a stopped clock (specification
 * 11.4). Calls run through the same pipeline as in production, and over sockets only if a test requests it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suggest } from '../base/nearest.ts'
import { SecretKey } from '../base/secret-key.ts'
import { classKeyOf, classMethods, listReferences } from '../configuration/list-references.ts'
import { parseConfiguration } from '../configuration/parse-configuration.ts'
import { answer, type Gateway } from '../gateway.ts'
import { openServer } from '../http/server.ts'
import type { AnsweredCall } from '../model/call-record.ts'
import type { HandlerDatabase } from '../model/handler-database.ts'
import type { Observation } from '../model/observation.ts'
import { listLogEntries } from '../model/test-log.ts'
import { openHandlers, openProject, type Project, ProjectProblems } from '../project/open-project.ts'
import { checkFiles, withSubstitutes } from '../project/substitutes.ts'
import { openPipeline } from '../serve/open-gateway.ts'
import { describeSettings, readSettings, type Settings, SettingsProblems } from '../settings.ts'
import { findVerification } from '../steps/authenticate.ts'
import { requireIssuer } from '../verification/verifier.ts'
import { asProject, beginWatching, releaseHandles } from './release-handles.ts'
import { makeAnswer, makeTestCall, readReply, type TestAnswer, type TestCallOptions } from './test-call.ts'
import { openTestDatabase } from './test-database.ts'
import { openTestFeatures } from './test-features.ts'
import type { TestGateway, TestGatewayOptions } from './test-gateway.ts'
import { openTestIssuer } from './test-issuer.ts'
import { addTestOperators, basicCredentials, checkTestOperators, type TestOperator } from './test-operators.ts'

/**
 * Opens a gateway for a test (specification 11.4): `await using` closes it at the end of the block.
 * @throws Error that lists every error of the project, or of the settings
 * @example
 * ```ts
 * import assert from 'node:assert/strict'
 * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
 * import { openTestGateway } from 'integration-gateway/testing'
 *
 * class Hello implements Handler {
 *   onRequest(request: RequestMessage, { broker, operator }: HandlerContext) {
 *     const response = broker.createMessage(request.operationName, 'response')
 *     response.setJson({ hello: operator.id })
 *     return response
 *   }
 * }
 *
 * const configuration = {
 *   nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
 *   services: [{ name: 'GREETINGS' }],
 *   operations: [
 *     {
 *       service: 'GREETINGS',
 *       name: 'HELLO',
 *       method: 'GET',
 *       verification: 'Basic',
 *       handler: 'handlers/hello.ts#Hello',
 *     },
 *   ],
 *   permissionLists: [{ name: 'ALL', services: ['GREETINGS'] }],
 * } as const
 *
 * await using gateway = await openTestGateway({
 *   // Or the folder: new URL('..', import.meta.url)
 *   project: { configuration, handlers: { 'handlers/hello.ts#Hello': Hello } },
 *   operators: [{ id: 'KIM', permissionLists: ['ALL'] }, { id: 'LEE' }],
 * })
 * const { status, text } = await gateway.call('GET HELLO.v1/', { as: 'KIM' })
 * assert.deepEqual([status, JSON.parse(text)], [200, { hello: 'KIM' }])
 * assert.equal(
 *   (await gateway.call('GET HELLO.v1/', { as: 'LEE' })).refusal?.code,
 *   'permissionDenied',
 * )
 * ```
 */
export async function openTestGateway(options: TestGatewayOptions): Promise<TestGateway> {
  await using opened = new AsyncDisposableStack()
  beginWatching()
  opened.defer(releaseHandles)
  const folder = await mkdtemp(join(tmpdir(), 'integration-gateway-test-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const project = await asProject(() => readProject(options.project))
  const operators = checkTestOperators(options.operators ?? project.sampleOperators, project.configuration)
  const read = readTestSettings(project.folder ?? folder, options.settings ?? {}, options.variables ?? {})
  const database = await openTestDatabase(databaseOf(options), folder, project.folder)
  opened.defer(database.remove)
  const databaseHandlers = options.settings?.['ig.database.handlers'] === undefined ? undefined : read.databaseHandlers
  const issuer = await openTestIssuer({
    configuration: project.configuration,
    settings: {
      ...read,
      database: database.place,
      databaseHandlers,
      secretKey: read.secretKey ?? testKey,
      limits: { ...read.limits, guessDelay: 0 },
    },
  })

  let time = readTime(options.now ?? '2026-01-01T12:00:00Z')
  const observations: Observation[] = []
  const { gateway, close } = await openPipeline({
    project: { ...project, configuration: issuer.configuration },
    settings: issuer.settings,
    observe: (observation) => void observations.push(observation),
    prepare: (store) => addTestOperators(store, operators),
    allowsLoopback: true,
    now: () => time,
  })
  opened.defer(close)
  const server = options.listen ? await listen(gateway, options.listen) : undefined
  if (server) opened.defer(server.close)
  const closing = opened.move()
  const token = (id: string) => issuer.token(operators.find((operator) => operator.id === id) ?? { id }, time)
  return {
    call: (line, callOptions) => call(line, callOptions ?? {}, { gateway, observations, token }),
    ...(await openTestFeatures(gateway, observations)),
    now: () => time,
    setNow: (to) => void (time = readTime(to)),
    advance: (milliseconds) => void (time += milliseconds),
    withDatabase: (work) => withDatabase(gateway, work),
    token,
    basicCredentials,
    metric: (name, labels) => gateway.shared.metrics.read(name, labels),
    get url() {
      if (server) return server.url
      throw new Error('The test gateway does not listen: open it with { listen: true }')
    },
    observations,
    close: () => closing.disposeAsync(),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** The same in every run: a database file may be kept. */
const testKey = new SecretKey('the secret key of test gateways, known to all')

function databaseOf({ database, settings }: TestGatewayOptions): string | undefined {
  const stated = settings?.['ig.database']
  if (database === undefined || stated === undefined || database === stated) return database ?? stated
  const message = 'names another database than the option database: state one of them'
  throw new SettingsProblems([{ path: 'ig.database', message }])
}

/** Listens in plain text: certificates of the project belong to production. */
function listen(gateway: Gateway, where: NonNullable<TestGatewayOptions['listen']>) {
  const port = typeof where === 'object' ? where.port : 0
  const limits = { ...gateway.settings.limits, shutdownIdle: 0 } // the test knows when it has sent its last call
  const settings = { ...gateway.settings, host: '127.0.0.1', port, tls: undefined, limits }
  return openServer({ gateway, settings, answer })
}

type OpenProject = Pick<Project, 'configuration' | 'handlers' | 'migrations'> & {
  readonly folder: string | undefined
  readonly sampleOperators: readonly TestOperator[]
}

async function readProject(project: TestGatewayOptions['project']): Promise<OpenProject> {
  if (typeof project === 'string') return openProject(project)
  if (project instanceof URL) return openProject(fileURLToPath(project))
  const { configuration, handlers = {}, migrations = [] } = project
  const parsed = parseConfiguration(configuration)
  if ('problems' in parsed) throw new ProjectProblems(parsed.problems)
  const known = new Map(
    Object.entries(handlers).flatMap(([key, given]) =>
      Object.keys(classMethods).map((list) => [classKeyOf(list, key), given] as const),
    ),
  )
  const handlersOfAll = await withSubstitutes(known, parsed.configuration, { folder: undefined })
  const opened = { ...parsed, handlers: handlersOfAll, migrations, folder: undefined, sampleOperators: [] }
  if (project.folder !== undefined) {
    const folder = project.folder instanceof URL ? fileURLToPath(project.folder) : resolve(project.folder)
    const found = await openHandlers({ folder, handlers: known })(parsed.configuration)
    if ('problems' in found) throw new ProjectProblems(found.problems)
    return { ...opened, handlers: found.handlers }
  }
  const missing = listReferences(parsed.configuration).filter(({ key }) => !known.has(key))
  const problems = [
    ...(await checkFiles(undefined, parsed.configuration)),
    ...missing.map(({ place, reference }) => ({ path: place, message: `is not among the handlers: ${reference}` })),
  ]
  if (problems.length > 0) throw new ProjectProblems(problems)
  return opened
}

function readTestSettings(
  folder: string,
  settings: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
): Settings {
  const known = describeSettings().map(({ key }) => key)
  const unknown = Object.keys(settings).filter((key) => !known.includes(key))
  const problems = unknown.map((path) => ({ path, message: `is not a setting${suggest(path, known)}` }))
  if (problems.length > 0) throw new SettingsProblems(problems)
  const overrides = Object.entries(settings).map(([key, value]) => [key, { value, option: 'settings of the test' }])
  return readSettings(folder, variables, Object.fromEntries(overrides))
}

function readTime(time: Date | string | number): number {
  const milliseconds = new Date(time).getTime()
  if (Number.isNaN(milliseconds)) throw new RangeError(`${time} is not a time`)
  return typeof time === 'number' ? time : milliseconds // a number may have microseconds
}

interface Parts {
  readonly gateway: Gateway
  readonly observations: Observation[]
  readonly token: TestGateway['token']
}

async function call(line: string, options: TestCallOptions, parts: Parts): Promise<TestAnswer> {
  const { gateway, observations } = parts
  const { limits, gatewayPath } = gateway.settings
  const [, method = '', path = ''] = /^([A-Z]+) (.*)$/s.exec(line) ?? []
  if (method === '') throw new TypeError(`A call is a method and a path, GET ECHO.v1/echo/x, not ${line}`)
  const node = `/${gatewayPath}/RESTListeningConnector/${gateway.catalog.defaultNode}`
  const target = path.startsWith('/') ? path : `${node}/${path}`

  const headers = await addCredentials(method, target, options, parts)
  const made = makeTestCall(method, target, { ...options, headers }, limits)
  try {
    const reply = await asProject(() => answer(made, gateway))
    const bytes = await readReply(reply.body, made)
    const answered = observations.findLast((one): one is AnsweredCall => one.kind === 'answered' && one.call === made)
    if (!answered) throw new Error('the gateway did not report its response')
    await gateway.shared.afterCommit.settled()
    return makeAnswer(reply, bytes, answered, listLogEntries(observations, answered.transaction), limits)
  } finally {
    await made.close()
  }
}

/** As the operation requires. Targets other than operations use Basic credentials. */
async function addCredentials(method: string, target: string, { as, headers = {} }: TestCallOptions, parts: Parts) {
  if (as === undefined) return headers
  const { gateway } = parts
  const { header = '', scheme, issuedBy } = findVerification({ method, target, headers }, gateway.catalog, gateway)
  if (issuedBy === undefined) return { authorization: await basicCredentials(as), ...headers }
  const issue = async () => (await requireIssuer(gateway.verifiers)(as, gateway.catalog.defaultNode)).token
  const token = await (issuedBy === 'gateway' ? issue() : parts.token(as))
  return { [header]: scheme ? `${scheme} ${token}` : token, ...headers }
}

async function withDatabase<Result>(gateway: Gateway, work: (database: HandlerDatabase) => Promise<Result>) {
  const { store, settings } = gateway
  const signal = new AbortController().signal
  const isPortable = gateway.catalog.configuration.databaseValues === 'portable'
  const transaction = store.openHandlerTransaction({ wait: settings.limits.databaseWait, signal, isPortable })
  try {
    const result = await work(transaction.database)
    await transaction.commit()
    return result
  } finally {
    await transaction.rollback()
  }
}
