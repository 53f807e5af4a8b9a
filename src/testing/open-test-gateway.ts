/**
 * The testing kit: a complete gateway in the test's process, with its own store and a stopped clock (specification
 * 11.4 to 11.12). Calls run through the same pipeline as in production, and over sockets only if a test requests it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suggest } from '../base/nearest.ts'
import { SecretKey } from '../base/secret-key.ts'
import type { GatewayDefinition } from '../configuration/configuration.ts'
import { classKeyOf, classMethods, listReferences } from '../configuration/list-references.ts'
import { parseConfiguration } from '../configuration/parse-configuration.ts'
import { answer, type Gateway } from '../gateway.ts'
import { openServer } from '../http/server.ts'
import type { AnsweredCall } from '../model/call-record.ts'
import type { HandlerDatabase } from '../model/handler-database.ts'
import type { MetricLabels } from '../model/handler-metrics.ts'
import type { Note, Observation } from '../model/observation.ts'
import { openHandlers, openProject, type Project, ProjectProblems } from '../project/open-project.ts'
import { checkFiles, withSubstitutes } from '../project/substitutes.ts'
import { openPipeline } from '../serve/open-gateway.ts'
import { describeSettings, readSettings, type Settings, SettingsProblems } from '../settings.ts'
import { findVerification } from '../steps/authenticate.ts'
import type { ProjectMigration } from '../store/store.ts'
import { requireIssuer } from '../verification/verifier.ts'
import { asProject, beginWatching, releaseHandles } from './release-handles.ts'
import { makeAnswer, makeTestCall, readReply, type TestAnswer, type TestCallOptions } from './test-call.ts'
import { openTestDatabase } from './test-database.ts'
import { openTestFeatures, type TestFeatures } from './test-features.ts'
import { openTestIssuer } from './test-issuer.ts'
import { addTestOperators, basicCredentials, checkTestOperators, type TestOperator } from './test-operators.ts'

export interface TestGatewayOptions {
  /** A project folder, as a path or a file URL; or the content of one. */
  readonly project: string | URL | TestProject
  /** Instead of the project's sample operators. */
  readonly operators?: readonly TestOperator[]
  /** The initial time; by default noon of the first day of 2026, UTC. */
  readonly now?: Date | string | number
  /** Overrides integrationGateway.properties: `{ 'ig.errorStyle': 'standard' }`. The environment is not read. */
  readonly settings?: Readonly<Record<string, string>>
  /** The variables of settings that modules of the project declare: `{ HR_URL: 'http://127.0.0.1:9000' }`. */
  readonly variables?: Readonly<Record<string, string>>
  /**
   * Instead of a temporary SQLite file: `postgres://…`, in which the gateway gets its own schema, which `close` drops,
   * or the name of an SQLite file, which is kept (specification 11.11). `ig.database` of the settings above means the
   * same; that of
   * integrationGateway.properties is not used.
   */
  readonly database?: string
  /** Listens on a free port of this machine, or on the given one: see `url` (specification 11.12). */
  readonly listen?: boolean | { readonly port: number }
}

export interface TestProject {
  readonly configuration: GatewayDefinition
  /** By the reference that operations and jobs name: `{ 'handlers/echo.ts#Echo': Echo }`. */
  readonly handlers?: Readonly<Record<string, new () => object>>
  /** The folder of recorded responses, below `fixtures/`, and of handlers that are not given: a path or a file URL. */
  readonly folder?: string | URL
  readonly migrations?: readonly ProjectMigration[]
}

export type TestGateway = KernelTestGateway & TestFeatures

export interface KernelTestGateway extends AsyncDisposable {
  /**
   * Calls an operation.
   * @param line method, and the URL after the node: `GET ECHO.v1/echo/x`; with a leading slash the whole target
   */
  call(line: string, options?: TestCallOptions): Promise<TestAnswer>
  /** Epoch milliseconds: handlers read them from `context.now()`. */
  now(): number
  /** Sets the clock, which is otherwise stopped. */
  setNow(time: Date | string | number): void
  /** Advances the clock. */
  advance(milliseconds: number): void
  /** Reads or writes the project's tables, in one transaction that is committed at the end. */
  withDatabase<Result>(work: (database: HandlerDatabase) => Promise<Result>): Promise<Result>
  /** An access token of the test's own issuer, as `as` sends it. */
  token(operatorId: string): Promise<string>
  /** The value of `Authorization` with the operator's password, as `as` sends it. */
  basicCredentials(operatorId: string): Promise<string>
  /**
   * The value of a counter of `context.metrics`, or the number of observations of a histogram; 0 if there is none.
   * @param labels all of them
   */
  metric(name: string, labels?: MetricLabels): number
  /**
   * `http://127.0.0.1:…`, for real clients: `fetch(gateway.url + '/PSIGW/RESTListeningConnector/…')`.
   * @throws Error unless the gateway was opened with `listen`
   */
  readonly url: string
  /** Every observation of the gateway in order, calls and their refusals included. */
  readonly observations: readonly Observation[]
  /** Stops, and deletes the store, except a given SQLite file. */
  close(): Promise<void>
}

/** @throws ProjectProblems, SettingsProblems: all errors together */
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
    const isOfCall = (one: Observation): one is Note => one.kind === 'note' && one.transaction === answered.transaction
    await gateway.shared.afterCommit.settled()
    return makeAnswer(reply, bytes, answered, observations.filter(isOfCall), limits)
  } finally {
    await made.close()
  }
}

/** As the operation requires. Targets other than operations use Basic credentials. */
async function addCredentials(method: string, target: string, { as, headers = {} }: TestCallOptions, parts: Parts) {
  if (as === undefined) return headers
  const { gateway } = parts
  const { header = '', scheme, issuedBy } = findVerification({ method, target }, gateway.catalog, gateway)
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
