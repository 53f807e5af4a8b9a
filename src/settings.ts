/**
 * Settings: integrationGateway.properties and the environment, read once at start; nothing else reads the environment
 * (specification 8.1 to 8.5). One table knows every key; reading, checking and describing them all go through it.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SecureVersion } from 'node:tls'
import { isLoopback } from './base/loopback.ts'
import { loggedBodyBytes } from './model/observation.ts'
import type { ErrorStyle } from './model/operation.ts'
import { formatProblem, type Problem } from './model/problem.ts'
import { gatewayPathPattern } from './model/uri/target.ts'
import { findTlsFault } from './settings/database-tls.ts'
import {
  age,
  backups,
  database,
  file,
  folders,
  level,
  logFile,
  logSize,
  matching,
  oneOf,
  port,
  portOrOff,
  postgresUrl,
  type Row,
  size,
  time,
  url,
  whole,
} from './settings/kinds.ts'
import { mask } from './settings/mask.ts'
import { type Given, readGiven, variableOf } from './settings/read-given.ts'
import { addSecretKey, type SecretKey, secretKeyKind } from './settings/secret-key.ts'
import { ciphers, findOpenness, modernSuites, versions } from './settings/tls.ts'

export interface Settings {
  /** `ig.secretKey`: for what is kept encrypted. */
  readonly secretKey: SecretKey | undefined
  /** The copy by which `ig start` starts without its database: milliseconds, and an absolute path. */
  readonly lastGood: { readonly file: string; readonly maxAge: number }
  readonly host: string
  /** Undefined: nothing listens in plain text. */
  readonly port: number | undefined
  readonly gatewayPath: string
  readonly platformName: string
  readonly errorStyle: ErrorStyle
  readonly serviceSystemStatus: 'production' | 'development'
  /** `data/gateway.sqlite` (a path, relative to the project folder when read, absolute here) or `postgres://…`. */
  readonly database: string
  /** `ig.database.connections`: to PostgreSQL, of all workers together; undefined: the workers' number decides. */
  readonly databaseConnections: number | undefined
  /** `ig.database.handlers`: the same PostgreSQL database by the login role of handlers. */
  readonly databaseHandlers: string | undefined
  readonly dbname: string
  readonly toolsRelease: string
  readonly optionsEnabled: boolean
  /** Whether API descriptions are served: `permitted` to each caller what it may call. */
  readonly describe: 'none' | 'permitted'
  /** Scheme, host and port in API descriptions; without it their URLs are relative. */
  readonly describeBaseUrl: string | undefined
  readonly tls: (TlsSettings & { readonly port: number }) | undefined
  /** `ig.handlerFolders`: where a draft may name modules; each ends in a slash. */
  readonly handlerFolders: readonly string[]
  /** `ig.AuthorizationServer`: the name of the OAuth2 service app in force. */
  readonly authorizationServer: string | undefined
  /** `ig.JSONWebKey`: the provider's jwks_uri. */
  readonly jsonWebKey: string | undefined
  readonly userMapping: 'sub+email' | 'sub' | 'email'
  /** `ig.oauth.tokenKind`: `any` accepts tokens that say they are no access tokens. */
  readonly tokenKind: 'access' | 'any'
  /** `ig.oauth.privateAddresses`: whether documents of the provider are fetched from such. */
  readonly privateAddresses: 'allow' | 'refuse'
  readonly sampleIssuerPort: number
  /** `ig.admin.port`; undefined where administration is off. */
  readonly admin: AdminSettings | undefined
  readonly log: LogSettings
  /** `ig.recentTransactions`: how many are kept for `ig explain`; 0 for none. */
  readonly recentTransactions: number
  /** `ig.monitor`; undefined where it is off. */
  readonly monitor: MonitorSettings | undefined
  readonly metrics: MetricsSettings
  /** `ig.tracing.endpoint`; undefined where calls are not traced. */
  readonly tracing: TracingSettings | undefined
  readonly workers: WorkerSettings
  readonly limits: Limits
}

export interface AdminSettings {
  readonly host: string
  readonly port: number
  /** Always there beyond loopback. */
  readonly tls: TlsSettings | undefined
}

export interface TlsSettings {
  /** Absolute paths of PEM files. */
  readonly cert: string
  readonly key: string
  readonly minVersion: SecureVersion
  readonly maxVersion: SecureVersion
  readonly ciphers: string
  /** A private key that others can read is refused. */
  readonly strictFiles: boolean
}

export interface MetricsSettings {
  readonly isOn: boolean
  readonly host: string
  /** Undefined: the administration listener alone has them. */
  readonly port: number | undefined
  /** How many have series of their own. */
  readonly operations: number
}

export interface TracingSettings {
  /** Of the collector, with its path. */
  readonly endpoint: string
  /** Of calls whose caller did not decide: 0 to 1. */
  readonly ratio: number
}

export interface LogSettings {
  /** `strict`: no values but those that the configuration names. */
  readonly masking: 'known' | 'strict'
  readonly level: -100 | -1 | 1 | 2 | 3 | 4 | 5
  /** Absolute paths. */
  readonly messageLogFile: string
  readonly errorLogFile: string
  /** In KB. */
  readonly messageLogMaxSize: number
  readonly messageLogMaxBackupFiles: number
  readonly errorLogMaxSize: number
  readonly errorLogMaxBackupFiles: number
}

export interface MonitorSettings {
  /** Transactions that are kept of one second, by all processes of the instance. */
  readonly perSecond: number
  /** Bytes of a body that are kept, where the operation's log detail says so. */
  readonly bodyBytes: number
  /** Retention: whichever is reached first. */
  readonly days: number
  readonly transactions: number
  readonly bytes: number
}

export interface WorkerSettings {
  /** Processes that `ig start` serves with; undefined: as many as cores on PostgreSQL, one on SQLite. */
  readonly count: number | undefined
  /** Milliseconds; a worker whose event loop stands still for longer is replaced. */
  readonly stallTimeout: number
}

/** Bytes and milliseconds. */
export interface Limits {
  readonly maxUrlBytes: number
  readonly maxHeaderBytes: number
  readonly maxBodyBytes: number
  /** A body up to this many bytes stays in memory; a longer one goes to a temporary file. */
  readonly spoolMemoryBytes: number
  /** Of a process, for all its calls together; undefined: measured at start. */
  readonly memoryBytes: number | undefined
  readonly handlerTimeout: number
  /** How long a handler's first statement may wait for the writer (SQLite) or a connection (PostgreSQL). */
  readonly databaseWait: number
  readonly headersTimeout: number
  readonly bodyTimeout: number
  /** How long writing a response to a slow reader may stand still. */
  readonly responseTimeout: number
  readonly keepAliveTimeout: number
  /** How long the answer to a wrong password waits, at most. */
  readonly guessDelay: number
  /** How long a stop waits for calls under way. */
  readonly shutdownGrace: number
  /** How long a stop keeps idle connections, for a call that is on its way. */
  readonly shutdownIdle: number
  readonly cacheMaxBytes: number
  readonly cacheMaxEntries: number
  readonly xmlMaxDepth: number
  readonly xmlMaxAttributes: number
  /** Of one text run or attribute value, in characters. */
  readonly xmlMaxTextLength: number
}

/** Stops the start; all that is wrong at once, the key of each as its path. */
export class SettingsProblems extends Error {
  override readonly name = 'SettingsProblems'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}

/** A setting of the command line: it wins over environment and file, and is blamed by the name of its option. */
export interface SettingOverride {
  readonly value: string
  /** `--port` */
  readonly option: string
}

export interface ReadSettings extends Settings {
  /** Keys that mean nothing here. */
  readonly warnings: readonly Problem[]
  /** What stands where; for showing, secrets masked. */
  readonly given: ReadonlyMap<string, { readonly value: string; readonly source: string }>
}

/** @throws SettingsProblems */
export function readSettings(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  overrides: Readonly<Record<string, SettingOverride>> = {},
): ReadSettings {
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const given = readGiven(folder, environment, Object.keys(table), { problems, warnings })
  addSecretKey(environment, given, problems)
  for (const [key, { value, option }] of Object.entries(overrides)) given.set(key, { value, source: option })

  const values = parseValues(given, resolve(folder), problems)
  if (problems.length === 0) problems.push(...checkTogether(values, warnings))
  if (problems.length > 0) throw new SettingsProblems(problems)
  for (const path of ['ig.database', 'ig.database.handlers'] as const) {
    const message = findTlsFault(values[path] ?? '', environment.PGSSLMODE)
    if (message !== undefined) warnings.push({ path, message })
  }
  const shown = [...given].map(([key, { value, source }]) => [key, { value: mask(key, value), source }] as const)
  return { ...assemble(values), warnings, given: new Map(shown) }
}

export interface SettingDescription {
  readonly key: string
  /** Its environment variable. */
  readonly variable: string
  /** What may stand there. */
  readonly values: string
  readonly fallback: string | undefined
  readonly help: string
}

/** Every setting, for `ig settings` and the documentation. */
export function describeSettings(): readonly SettingDescription[] {
  return Object.entries(table).map(([key, { values, fallback, help }]) => {
    return { key, variable: variableOf(key), values, fallback, help }
  })
}

export { logLevels } from './settings/log-levels.ts'
export { maskDatabase } from './settings/mask.ts'
export { settingsFile } from './settings/read-given.ts'

const table = {
  'ig.host': {
    ...matching('address or host name', /^[\w.:-]+$/),
    fallback: '127.0.0.1',
    help: 'where the gateway listens; 0.0.0.0 for all networks',
  },
  'ig.port': {
    ...portOrOff,
    fallback: '8080',
    help: 'where the gateway listens in plain text; 0: any free port; off: over TLS only (ig.tls.cert)',
  },
  'ig.gatewayPath': {
    ...matching('one path segment', gatewayPathPattern),
    fallback: 'PSIGW',
    help: 'first segment of every URL',
  },
  'ig.platformName': {
    ...matching('[a-z][a-z0-9-]*', /^[a-z][a-z0-9-]{0,39}$/),
    fallback: 'platform',
    help: 'names headers, realm and the transaction id in the metadata',
  },
  'ig.errorStyle': {
    ...oneOf('observed', 'standard'),
    fallback: 'observed',
    help: 'refusals as the original has them, or with correct statuses',
  },
  'ig.serviceSystemStatus': {
    ...oneOf('production', 'development'),
    fallback: 'production',
    help: 'development shows callers why a handler failed',
  },
  'ig.OptionsEnabled': {
    ...oneOf('true', 'false'),
    fallback: 'false',
    help: 'whether every operation answers OPTIONS, with CORS headers',
  },
  'ig.describe': {
    ...oneOf('none', 'permitted'),
    fallback: 'none',
    help: 'whether OpenAPI and WADL are served, to each caller of what it may call',
  },
  'ig.describe.baseUrl': {
    ...url,
    fallback: undefined,
    help: 'scheme, host and port in descriptions; without it their URLs are relative',
  },
  'ig.database': {
    ...database,
    fallback: 'data/gateway.sqlite',
    help: 'where operators, cache and staged rows are kept',
  },
  'ig.database.connections': {
    ...whole('connections', 2, 10_000),
    fallback: undefined,
    help: 'to PostgreSQL, of all workers of ig start; by default 14 for each, about 70 together, and one for the monitor',
  },
  'ig.database.handlers': {
    ...postgresUrl,
    fallback: undefined,
    help: 'the same PostgreSQL database by a role of its own for handlers, without rights on the tables of the gateway',
  },
  'ig.secretKey': { ...secretKeyKind, fallback: undefined, help: 'encrypts what is kept outside the database' },
  'ig.lastGood.file': {
    ...file,
    fallback: 'data/last-good',
    help: 'copy of configuration, operators and keys, by which ig start starts while PostgreSQL is away; needs ig.secretKey',
  },
  'ig.lastGood.maxAge': { ...age, fallback: '24h', help: 'an older copy is refused' },
  'ig.dbname': { ...matching('text', /^\S.*$/), fallback: 'GATEWAY', help: 'database name in responses' },
  'ig.toolsRelease': {
    ...matching('text', /^\S.*$/),
    fallback: ownVersion(),
    help: "release number in responses; by default the gateway's own",
  },

  'ig.handlerFolders': {
    ...folders,
    fallback: 'handlers, src',
    help: 'folders of the project of which a draft may name modules; . for all',
  },
  'ig.AuthorizationServer': {
    ...matching('name', /^\S.*$/),
    fallback: undefined,
    help: 'the OAuth2 service app that is in force',
  },
  'ig.JSONWebKey': { ...url, fallback: undefined, help: "the provider's public signing keys, its jwks_uri" },
  'ig.oauth.userMapping': {
    ...oneOf('sub+email', 'sub', 'email'),
    fallback: 'sub+email',
    help: 'the claims that name the operator',
  },
  'ig.oauth.tokenKind': {
    ...oneOf('access', 'any'),
    fallback: 'access',
    help: 'any also accepts tokens that say they are no access tokens, such as ID tokens',
  },
  'ig.oauth.privateAddresses': {
    ...oneOf('allow', 'refuse'),
    fallback: 'allow',
    help: "whether the provider's keys and metadata may be at a private or loopback address",
  },
  'ig.sampleIssuer.port': { ...port, fallback: '8090', help: 'the sample OAuth2 issuer of ig dev' },

  'ig.tls.cert': { ...file, fallback: undefined, help: 'PEM certificate chain: opens the TLS listener' },
  'ig.tls.key': { ...file, fallback: undefined, help: 'PEM private key of ig.tls.cert' },
  'ig.tls.port': { ...port, fallback: '8443', help: 'where the TLS listener listens' },
  'ig.tls.versions': { ...versions, fallback: '1.2, 1.3', help: 'versions of TLS, also of administration' },
  'ig.tls.ciphers': { ...ciphers, fallback: modernSuites, help: 'cipher suites, also of administration' },
  'ig.tls.strictFiles': {
    ...oneOf('true', 'false'),
    fallback: 'false',
    help: 'whether a private key that other users can read is refused, not only warned of',
  },

  'ig.admin.host': {
    ...matching('address or host name', /^[\w.:-]+$/),
    fallback: '127.0.0.1',
    help: 'where administration listens; beyond loopback over TLS only',
  },
  'ig.admin.port': {
    ...portOrOff,
    fallback: '8081',
    help: 'where administration listens; off: nowhere',
  },
  'ig.admin.tls.cert': { ...file, fallback: undefined, help: 'PEM certificate chain: administration over TLS' },
  'ig.admin.tls.key': { ...file, fallback: undefined, help: 'PEM private key of ig.admin.tls.cert' },

  'ig.log.level': { ...level, fallback: '3', help: 'how much is written; the levels stand below' },
  'ig.log.masking': {
    ...oneOf('known', 'strict'),
    fallback: 'known',
    help: 'known redacts what is named like a secret, strict all values but those that the configuration names',
  },
  'ig.messageLog.filename': logFile('data/logs/msgLog.html', 'the message log'),
  'ig.messageLog.maxSize': logSize,
  'ig.messageLog.maxNbBackupFiles': backups,
  'ig.errorLog.filename': logFile('data/logs/errorLog.html', 'the error log'),
  'ig.errorLog.maxSize': logSize,
  'ig.errorLog.maxNbBackupFiles': backups,
  'ig.recentTransactions': {
    ...whole('transactions', 0, 100_000),
    fallback: '1000',
    help: 'how many calls of two seconds, and of late, are kept for ig explain; 0: none',
  },

  'ig.monitor': {
    ...oneOf('on', 'off'),
    fallback: 'on',
    help: 'whether transactions are kept for the monitor of administration',
  },
  'ig.monitor.perSecond': {
    ...whole('transactions', 1, 100_000),
    fallback: '1000',
    help: 'transactions that are kept of one second, errors first; the others are counted',
  },
  'ig.monitor.bodySize': {
    ...size,
    parse: (text: string): number => {
      const bytes = size.parse(text)
      if (bytes <= loggedBodyBytes) return bytes
      throw new Error('must be at most 64KiB: more is not kept of a body')
    },
    fallback: '16KiB',
    help: "what is kept of a body, where the operation's log detail is headerAndDetail",
  },
  'ig.monitor.days': { ...whole('days', 1, 3650), fallback: '7', help: 'older transactions are deleted' },
  'ig.monitor.transactions': {
    ...whole('transactions', 1000, 100_000_000),
    fallback: '1000000',
    help: 'so many are kept; the oldest are deleted',
  },
  'ig.monitor.size': { ...size, fallback: '1GiB', help: 'they take about so much; the oldest are deleted' },
  'ig.metrics': {
    ...oneOf('on', 'off'),
    fallback: 'on',
    help: 'whether calls are counted, for /metrics and the overview of administration',
  },
  'ig.metrics.host': {
    ...matching('address or host name', /^[\w.:-]+$/),
    fallback: '127.0.0.1',
    help: 'where the listener of metrics listens; 0.0.0.0 for all networks, without credentials',
  },
  'ig.metrics.port': {
    ...portOrOff,
    fallback: 'off',
    help: 'a listener for /metrics alone, without credentials; off: administration has them, for API tokens',
  },
  'ig.metrics.operations': {
    ...whole('operations', 1, 100_000),
    fallback: '1000',
    help: 'that have metrics of their own; calls of further ones are counted together',
  },
  'ig.tracing.endpoint': {
    values: 'http or https URL',
    parse(text: string) {
      const { username, password } = new URL(url.parse(text))
      if (username === '' && password === '') return text
      throw new Error('must have no user name and no password: a collector on this machine can add them')
    },
    fallback: undefined,
    help: 'OpenTelemetry collector (OTLP/HTTP); without a path, /v1/traces is added; unset: no traces',
  },
  'ig.tracing.ratio': {
    values: '0 to 1',
    parse(text: string) {
      const ratio = Number(text)
      if (text !== '' && ratio >= 0 && ratio <= 1) return ratio
      throw new Error('must be a number from 0 to 1')
    },
    fallback: '1',
    help: 'how many of the calls are traced whose caller did not decide',
  },

  'ig.workers': {
    ...whole('processes', 1, 256),
    fallback: undefined,
    help: 'processes of ig start; by default as many as cores on PostgreSQL, one on SQLite',
  },
  'ig.workers.stallTimeout': {
    ...time,
    parse: (text: string): number => {
      const milliseconds = time.parse(text)
      if (milliseconds >= 500) return milliseconds
      throw new Error('must be at least 500ms: shorter pauses are nothing unusual')
    },
    fallback: '10s',
    help: 'a worker whose event loop stands still for longer is replaced',
  },

  'ig.limits.url': { ...size, fallback: '8KiB', help: 'URL of a request' },
  'ig.limits.headers': { ...size, fallback: '32KiB', help: 'headers of a request' },
  'ig.limits.body': { ...size, fallback: '256MiB', help: 'body of a request' },
  'ig.limits.bodyInMemory': { ...size, fallback: '256KiB', help: 'a longer body goes to a temporary file' },
  'ig.limits.memory': {
    ...size,
    fallback: undefined,
    help: 'memory of a process for bodies, XML trees and responses of all calls; by default measured at start',
  },
  'ig.limits.handlerTimeout': { ...time, fallback: '30s', help: 'run of a handler' },
  'ig.limits.databaseWait': { ...time, fallback: '5s', help: "a handler's wait for its database transaction" },
  'ig.limits.headersTimeout': { ...time, fallback: '10s', help: 'arrival of the headers' },
  'ig.limits.bodyTimeout': { ...time, fallback: '30s', help: 'stretch of a body in which next to nothing comes' },
  'ig.limits.responseTimeout': {
    ...time,
    fallback: '30s',
    help: 'stretch in which a client reads nothing of its response',
  },
  'ig.limits.keepAliveTimeout': { ...time, fallback: '65s', help: 'idle connection between two requests' },
  'ig.limits.guessDelay': { ...time, fallback: '30s', help: 'longest delay of the answer to a wrong password' },
  'ig.limits.shutdownGrace': { ...time, fallback: '30s', help: 'wait for calls under way when the gateway stops' },
  'ig.limits.shutdownIdle': { ...time, fallback: '1s', help: 'idle connection when the gateway stops' },
  'ig.limits.cacheSize': { ...size, fallback: '64MiB', help: 'responses in the REST cache, all together' },
  'ig.limits.cacheEntries': {
    ...whole('entries', 1, 10_000_000),
    fallback: '10000',
    help: 'responses in the REST cache',
  },
  'ig.limits.xmlDepth': { ...whole('levels', 1, 256), fallback: '256', help: 'XML elements within each other' }, // the parser is quadratic in depth
  'ig.limits.xmlAttributes': {
    ...whole('attributes', 1, 10_000),
    fallback: '256',
    help: 'attributes of an XML element',
  },
  'ig.limits.xmlTextLength': {
    ...whole('characters', 1, 512 * 1024 ** 2),
    fallback: '16777216',
    help: 'one text or attribute value of an XML document',
  },
} as const satisfies Readonly<Record<string, Row<unknown>>>

type Table = typeof table
type Key = keyof Table
type Values = {
  readonly [K in Key]: ReturnType<Table[K]['parse']> | (Table[K]['fallback'] extends string ? never : undefined)
}

function assemble(values: Values): Settings {
  const tls = assembleTls(values, 'ig.tls')
  return {
    host: values['ig.host'],
    port: values['ig.port'],
    gatewayPath: values['ig.gatewayPath'],
    platformName: values['ig.platformName'],
    errorStyle: values['ig.errorStyle'],
    serviceSystemStatus: values['ig.serviceSystemStatus'],
    database: values['ig.database'],
    databaseConnections: values['ig.database.connections'],
    databaseHandlers: values['ig.database.handlers'],
    secretKey: values['ig.secretKey'],
    lastGood: { file: values['ig.lastGood.file'], maxAge: values['ig.lastGood.maxAge'] },
    dbname: values['ig.dbname'],
    toolsRelease: values['ig.toolsRelease'],
    optionsEnabled: values['ig.OptionsEnabled'] === 'true',
    describe: values['ig.describe'],
    describeBaseUrl: values['ig.describe.baseUrl'],
    tls: tls && { ...tls, port: values['ig.tls.port'] },
    handlerFolders: values['ig.handlerFolders'],
    authorizationServer: values['ig.AuthorizationServer'],
    jsonWebKey: values['ig.JSONWebKey'],
    userMapping: values['ig.oauth.userMapping'],
    tokenKind: values['ig.oauth.tokenKind'],
    privateAddresses: values['ig.oauth.privateAddresses'],
    sampleIssuerPort: values['ig.sampleIssuer.port'],
    admin: assembleAdmin(values),
    log: {
      masking: values['ig.log.masking'],
      level: Number(values['ig.log.level']) as LogSettings['level'],
      messageLogFile: values['ig.messageLog.filename'],
      errorLogFile: values['ig.errorLog.filename'],
      messageLogMaxSize: values['ig.messageLog.maxSize'],
      messageLogMaxBackupFiles: values['ig.messageLog.maxNbBackupFiles'],
      errorLogMaxSize: values['ig.errorLog.maxSize'],
      errorLogMaxBackupFiles: values['ig.errorLog.maxNbBackupFiles'],
    },
    recentTransactions: values['ig.recentTransactions'],
    monitor: assembleMonitor(values),
    metrics: {
      isOn: values['ig.metrics'] === 'on',
      host: values['ig.metrics.host'],
      port: values['ig.metrics.port'],
      operations: values['ig.metrics.operations'],
    },
    tracing: assembleTracing(values),
    workers: { count: values['ig.workers'], stallTimeout: values['ig.workers.stallTimeout'] },
    limits: {
      maxUrlBytes: values['ig.limits.url'],
      maxHeaderBytes: values['ig.limits.headers'],
      maxBodyBytes: values['ig.limits.body'],
      spoolMemoryBytes: values['ig.limits.bodyInMemory'],
      memoryBytes: values['ig.limits.memory'],
      handlerTimeout: values['ig.limits.handlerTimeout'],
      databaseWait: values['ig.limits.databaseWait'],
      headersTimeout: values['ig.limits.headersTimeout'],
      bodyTimeout: values['ig.limits.bodyTimeout'],
      responseTimeout: values['ig.limits.responseTimeout'],
      keepAliveTimeout: values['ig.limits.keepAliveTimeout'],
      guessDelay: values['ig.limits.guessDelay'],
      shutdownGrace: values['ig.limits.shutdownGrace'],
      shutdownIdle: values['ig.limits.shutdownIdle'],
      cacheMaxBytes: values['ig.limits.cacheSize'],
      cacheMaxEntries: values['ig.limits.cacheEntries'],
      xmlMaxDepth: values['ig.limits.xmlDepth'],
      xmlMaxAttributes: values['ig.limits.xmlAttributes'],
      xmlMaxTextLength: values['ig.limits.xmlTextLength'],
    },
  }
}

function assembleAdmin(values: Values): AdminSettings | undefined {
  const { 'ig.admin.port': port } = values
  if (port === undefined) return undefined
  return { host: values['ig.admin.host'], port, tls: assembleTls(values, 'ig.admin.tls') }
}

function assembleTls(values: Values, place: 'ig.tls' | 'ig.admin.tls'): TlsSettings | undefined {
  const { [`${place}.cert` as const]: cert, [`${place}.key` as const]: key } = values
  if (cert === undefined || key === undefined) return undefined
  const { minVersion, maxVersion } = values['ig.tls.versions']
  const strictFiles = values['ig.tls.strictFiles'] === 'true'
  return { cert, key, minVersion, maxVersion, ciphers: values['ig.tls.ciphers'], strictFiles }
}

function assembleMonitor(values: Values): MonitorSettings | undefined {
  if (values['ig.monitor'] === 'off') return undefined
  return {
    perSecond: values['ig.monitor.perSecond'],
    bodyBytes: values['ig.monitor.bodySize'],
    days: values['ig.monitor.days'],
    transactions: values['ig.monitor.transactions'],
    bytes: values['ig.monitor.size'],
  }
}

function assembleTracing(values: Values): TracingSettings | undefined {
  const endpoint = values['ig.tracing.endpoint']
  if (endpoint === undefined) return undefined
  const { pathname } = new URL(endpoint)
  return {
    endpoint: pathname === '/' ? new URL('/v1/traces', endpoint).href : endpoint,
    ratio: values['ig.tracing.ratio'],
  }
}

function parseValues(given: ReadonlyMap<string, Given>, folder: string, problems: Problem[]): Values {
  const values: Record<string, unknown> = {}
  for (const [key, row] of Object.entries<Row<unknown>>(table)) {
    const { value = '', source = '' } = given.get(key) ?? {}
    const text = value.trim() || row.fallback // an empty value is none, as in the original's file
    try {
      values[key] = text === undefined ? undefined : row.parse(text, folder)
    } catch (error) {
      const shown = JSON.stringify(mask(key, value.trim()).slice(0, 80))
      problems.push({ path: key, message: `${(error as Error).message}, not ${shown} (${source})` })
    }
  }
  return values as Values
}

/** What is wrong only together with another setting. */
function checkTogether(values: Values, warnings: Problem[]): Problem[] {
  const problems: Problem[] = []
  for (const place of ['ig.tls', 'ig.admin.tls'] as const) {
    const hasCert = values[`${place}.cert`] !== undefined
    const hasKey = values[`${place}.key`] !== undefined
    if (hasCert && !hasKey)
      problems.push({ path: `${place}.key`, message: `is missing: ${place}.cert needs its private key` })
    if (hasKey && !hasCert)
      problems.push({ path: `${place}.cert`, message: `is missing: ${place}.key needs its certificate` })
  }
  const admin = assembleAdmin(values)
  if (admin && !isLoopback(admin.host) && values['ig.admin.tls.cert'] === undefined) {
    const message = `is missing: beyond loopback (ig.admin.host=${admin.host}) administration is served over TLS only. State certificate and key, or ig.admin.host=127.0.0.1, or ig.admin.port=off`
    problems.push({ path: 'ig.admin.tls.cert', message })
  }
  if (values['ig.port'] === undefined && values['ig.tls.cert'] === undefined) {
    const message = 'is off, and nothing listens over TLS: state ig.tls.cert and ig.tls.key, or a port'
    problems.push({ path: 'ig.port', message })
  }
  const open = findOpenness({
    host: values['ig.host'],
    port: values['ig.port'],
    keys: { 'ig.tls.key': values['ig.tls.key'], 'ig.admin.tls.key': values['ig.admin.tls.key'] },
  })
  warnings.push(...open.plain)
  if (values['ig.tls.strictFiles'] === 'true') problems.push(...open.keys)
  else warnings.push(...open.keys)
  if (values['ig.messageLog.filename'] === values['ig.errorLog.filename']) {
    problems.push({ path: 'ig.errorLog.filename', message: 'must be another file than ig.messageLog.filename' })
  }
  return problems
}

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return version
}
