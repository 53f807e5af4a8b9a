/** The administration plane over a real gateway and a real socket, with a person of each role signed in. */
import type { ServerOptions } from 'node:http'
import type { TestContext } from 'node:test'
import type { Role } from '../../src/actions/roles.ts'
import { type AdminServer, openAdminServer } from '../../src/admin/admin-server.ts'
import { invite } from '../../src/admin/invitation.ts'
import type { Configuration } from '../../src/configuration/configuration.ts'
import { type FeatureContext, listedFeatures, type OpenFeature } from '../../src/feature.ts'
import { type Observation, type Observe, toAll } from '../../src/model/observation.ts'
import { openHandlerCheck } from '../../src/project/check-handlers/check-handlers.ts'
import { openHandlers, openProject } from '../../src/project/open-project.ts'
import { checkDraft } from '../../src/project/substitutes.ts'
import type { OpenGateway } from '../../src/serve/open-gateway.ts'
import { openProcessCounters } from '../../src/serve/process-counters.ts'
import { addSampleOperators } from '../../src/serve/sample-operators.ts'
import { describeSettings, type ReadSettings } from '../../src/settings.ts'
import type { TestDatabase } from './databases.ts'
import { noProvider, openServed, readTestSettings, referenceFolder } from './gateway.ts'
import { hashOnce } from './hash-once.ts'

export const password = 'a long sentence is a good one'
const passwordHash = hashOnce(password)

export interface AdminAnswer {
  readonly status: number
  readonly headers: Headers
  /** Parsed, where it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly body: any
  readonly etag: string
}

export interface AskOptions {
  /** A person of this role, signed in; left out, an administrator. */
  readonly as?: Role | 'nobody'
  readonly body?: unknown
  readonly ifMatch?: string
  /** Instead of those of a session. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface TestAdmin {
  readonly admin: AdminServer
  readonly opened: OpenGateway
  readonly observations: readonly Observation[]
  readonly features: readonly OpenFeature[]
  /** @param line `GET /api/state` */
  ask(line: string, options?: AskOptions): Promise<AdminAnswer>
  /** What a browser of that person would send. */
  sessionOf(role: Role): Promise<Readonly<Record<string, string>>>
  /** The token of a new one-time link. */
  invite(): Promise<string>
}

export interface TestAdminOptions {
  readonly database: TestDatabase
  /** Serves files, as `ig dev` does. */
  readonly servesFiles?: boolean
  readonly properties?: Readonly<Record<string, string>>
  readonly now?: () => number
  /** Of its listener. */
  readonly limits?: ServerOptions
  /** Changes the reference configuration. */
  readonly configure?: (configuration: Configuration) => Configuration
  /** Nobody is an administrator yet. */
  readonly isNew?: boolean
  /** Of the project; by default the reference project's. */
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string>>
  /** What else looks at the observations. */
  readonly read?: (settings: ReadSettings) => Observe
  /** Opens these features in another way, by name. */
  readonly features?: Readonly<Record<string, (context: FeatureContext) => OpenFeature>>
  /** By default those of the sample. */
  readonly hasOperators?: boolean
}

/** Whether there is one to switch on: it may be taken out (`npm run without`). */
export const hasMonitor = describeSettings().some(({ key }) => key === 'ig.monitor')

/** Free again: at the same address a browser has the console in its cache, compiled. */
const ports: number[] = []

export async function openTestAdmin(t: TestContext, options: TestAdminOptions): Promise<TestAdmin> {
  const {
    database,
    servesFiles = false,
    properties = {},
    isNew = false,
    hasOperators = true,
    folder = referenceFolder,
  } = options
  const stack = new AsyncDisposableStack()
  t.after(() => stack.disposeAsync())
  const place = await (database.openMigrated?.() ?? database.open())
  stack.defer(() => place.remove())
  const read = await openProject(folder)
  const project = { ...read, configuration: options.configure?.(read.configuration) ?? read.configuration }
  const given = {
    'ig.admin.port': '0',
    'ig.database': place.url,
    ...(hasMonitor && { 'ig.monitor': 'off' }),
    ...(folder === referenceFolder && noProvider),
    ...(options.environment?.IG_SECRETKEY !== undefined && { 'ig.secretKey': options.environment.IG_SECRETKEY }),
    ...properties,
  }
  const settings = readTestSettings(folder, given, options.environment)
  const observations: Observation[] = []
  const note = (observation: Observation) => void observations.push(observation)
  const readers: Observe[] = [note, options.read?.(settings) ?? []].flat()
  const observe = toAll(readers)
  const features = await openAll(
    {
      ...{ settings, worker: undefined, workers: 1, administers: true, servesCalls: true, runsJobs: false },
      ...{ isDevelopment: true, observe, reportCounts: () => measuring?.report() },
    },
    options.features,
  )
  const counts = () => Object.assign({}, ...features.map((feature) => feature.counts?.()))
  const measuring = openProcessCounters({ settings, features, counts })
  stack.defer(() => measuring?.close())
  readers.push(...[...features, measuring].flatMap((reader) => reader?.observe ?? []))
  const findHandlers = openHandlers(project)
  const opened = await openServed({
    project,
    settings,
    observe,
    tracing: features.find(({ traces }) => traces)?.traces,
    ...(servesFiles ? {} : { findHandlers }),
    ...(options.now ? { now: options.now } : {}),
    prepare: async (store) =>
      void (hasOperators && (await addSampleOperators(store, project.sampleOperators, hashOnce))),
  })
  stack.defer(() => opened.close())
  const { gateway } = opened
  measuring?.watch(gateway, opened.count)
  for (const feature of features) {
    stack.defer(async () => feature.close?.())
    await feature.begin?.(gateway, opened.url)
  }
  if (!settings.admin) throw new Error('ig.admin.port is off')
  const listening = settings.admin
  const parts = {
    store: gateway.store,
    settings,
    shownSettings: describeSettings().map(({ fallback = null, ...setting }) => {
      const stated = settings.given.get(setting.key)
      return { ...setting, value: stated?.value ?? fallback, source: stated?.source ?? 'default' }
    }),
    catalog: () => gateway.catalog,
    gateway,
    revisions: servesFiles
      ? undefined
      : {
          settings,
          checkHandlers: openHandlerCheck({
            project,
            handlerFolders: settings.handlerFolders,
            checkDraft: (draft, active) => checkDraft(draft, active, settings),
          }),
          handlers: findHandlers,
        },
    files: project.configuration,
    gatewayUrl: opened.url,
    opened: features,
    observe,
    now: gateway.now,
    ...(options.limits && { limits: options.limits }),
  }
  const openAt = (port: number) => openAdminServer({ admin: { ...listening, port }, ...parts })
  const admin = await openAt(ports.pop() ?? 0).catch(() => openAt(0)) // another process may have taken it
  stack.defer(async () => {
    await admin.close()
    ports.push(Number(new URL(admin.url).port))
  })

  const { administrators } = gateway.store.administration
  const created = Math.floor(gateway.now())
  if (!isNew)
    for (const role of ['administrator', 'operator', 'viewer'] as const)
      await administrators.add({ name: `an ${role}`, role, passwordHash: await passwordHash, created })

  const send = async (
    line: string,
    headers: Readonly<Record<string, string>>,
    body?: unknown,
  ): Promise<AdminAnswer> => {
    const [method = '', path = ''] = line.split(/ (.*)/s)
    const text = body === undefined ? undefined : JSON.stringify(body)
    const type = text === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(admin.url + path, {
      method,
      redirect: 'manual',
      headers: { ...type, ...headers },
      ...(text === undefined ? {} : { body: text }),
    })
    const received = await response.text()
    const isJson = received !== '' && /json\b/.test(response.headers.get('content-type') ?? '')
    const etag = response.headers.get('etag') ?? ''
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(received) : received, etag }
  }
  const sessions = new Map<Role, Promise<Readonly<Record<string, string>>>>()
  const sessionOf = (role: Role) => {
    const session = sessions.get(role) ?? signIn(role)
    sessions.set(role, session)
    return session
  }
  const signIn = async (role: Role) => {
    const { headers, body } = await send('POST /api/session', {}, { name: `an ${role}`, password })
    return { cookie: (headers.get('set-cookie') ?? '').split(';')[0] ?? '', 'x-csrf-token': String(body.csrfToken) }
  }
  return {
    admin,
    opened,
    observations,
    features,
    sessionOf,
    async ask(line, { as = 'administrator', body, ifMatch, headers } = {}) {
      const session = headers ?? (as === 'nobody' ? {} : await sessionOf(as))
      return send(line, { ...session, ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }) }, body)
    },
    invite: async () => (await invite(gateway.store, admin.url, gateway.now())).split('#')[1] ?? '',
  }
}

async function openAll(
  context: FeatureContext,
  others: TestAdminOptions['features'] = {},
): Promise<readonly OpenFeature[]> {
  const opening = Object.entries(listedFeatures).map(async ([name, { open }]) =>
    (others[name] ?? (await open?.()))?.(context),
  )
  return (await Promise.all(opening)).filter((opened) => opened !== undefined)
}
