import { join } from 'node:path'
import type { Configuration } from '../../src/configuration/configuration.ts'
import type { SampleOperator } from '../../src/configuration/sample-operator.ts'
import type { HandlerClass } from '../../src/model/handler.ts'
import { type Observation, type Observe, toAll } from '../../src/model/observation.ts'
import { openProject } from '../../src/project/open-project.ts'
import { withSubstitutes } from '../../src/project/substitutes.ts'
import { moveSampleIssuer } from '../../src/serve/development/move-sample-issuer.ts'
import { openSampleIssuer, type SampleIssuer } from '../../src/serve/development/sample-issuer.ts'
import { type OpenGateway, type OpenGatewayOptions, openGateway } from '../../src/serve/open-gateway.ts'
import { addSampleOperators } from '../../src/serve/sample-operators.ts'
import { type ReadSettings, readSettings, type Settings } from '../../src/settings.ts'
import { type Answer, basic, type CallOptions, send } from './client.ts'
import type { TestDatabase } from './databases.ts'
import { hashOnce } from './hash-once.ts'
import { patientLimits } from './patience.ts'
import { testKey } from './secret-key.ts'

export const referenceFolder = join(import.meta.dirname, '../../examples/reference')
export const root = '/PSIGW/RESTListeningConnector/LOCAL_NODE'

export interface WireGateway extends Omit<ServedGateway, 'hasMadeRevision' | 'listeners' | 'stopCalls' | 'count'> {
  readonly settings: Settings
  readonly issuer: string | undefined
  /** An access token of the sample issuer. */
  token(operatorId: string): Promise<string>
  /** Stops the gateway and starts it again on the same database. */
  restart(): Promise<void>
}

export interface WireOptions {
  readonly database: TestDatabase
  /** Keys of integrationGateway.properties. */
  readonly properties?: Readonly<Record<string, string>>
  readonly withIssuer?: boolean
  readonly now?: () => number
  readonly shedsLoad?: boolean
  /** Changes the reference configuration, and brings handlers for what it adds. */
  readonly configure?: (configuration: Configuration) => Configuration
  readonly handlers?: Readonly<Record<string, HandlerClass>>
}

/** A port that is free, and a stop that does not wait for idle connections. */
const quickly = {
  ...patientLimits,
  'ig.port': '0',
  'ig.limits.shutdownIdle': '1ms',
  'ig.log.level': '-100',
  'ig.secretKey': testKey,
}

/** Settings of a gateway in a test. @param properties keys of integrationGateway.properties */
export function readTestSettings(
  folder: string,
  properties: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
): ReadSettings {
  const given = Object.entries({ ...quickly, ...properties })
  const overrides = given.map(([key, value]) => [key, { value, option: 'test' }] as const)
  return readSettings(folder, environment, Object.fromEntries(overrides))
}

export interface ServedGateway extends OpenGateway {
  readonly observations: readonly Observation[]
  /** @param line `GET ECHO.v1/echo/x`: below the node; or `GET /anything`: the whole target */
  call(line: string, options?: CallOptions): Promise<Answer>
}

/** The one way in which tests open a gateway with sockets. */
export async function openServed(
  options: Omit<OpenGatewayOptions, 'observe'> & { readonly observe?: Observe },
): Promise<ServedGateway> {
  const observations: Observation[] = []
  const note = (observation: Observation) => void observations.push(observation)
  const opened = await openGateway({ ...options, observe: options.observe ? toAll([note, options.observe]) : note })
  const call: ServedGateway['call'] = (line, callOptions) => {
    const [method, path = ''] = line.split(/ (.*)/s)
    return send(opened.url, `${method} ${path.startsWith('/') ? path : `${root}/${path}`}`, callOptions)
  }
  return { ...opened, observations, call }
}

/** The reference project without its issuer: `/readyz` would list what is wrong with it. */
export const noProvider = { 'ig.AuthorizationServer': '', 'ig.JSONWebKey': '' } as const

export async function openReference(options: WireOptions): Promise<WireGateway> {
  const {
    database,
    properties = {},
    withIssuer = false,
    now,
    shedsLoad = false,
    configure = (same) => same,
    handlers = {},
  } = options
  await using opening = new AsyncDisposableStack()
  const place = await (database.openMigrated?.() ?? database.open())
  opening.defer(() => place.remove())
  const project = await openProject(referenceFolder)
  const issuer = withIssuer ? await openIssuer(project.sampleOperators) : undefined
  if (issuer) opening.defer(() => issuer.close())

  const read = readTestSettings(referenceFolder, { 'ig.database': place.url, ...properties })
  const { configuration, settings } = issuer
    ? moveSampleIssuer({ configuration: project.configuration, settings: read }, issuer.issuer)
    : { configuration: project.configuration, settings: read }
  const observations: Observation[] = []
  const open = async () =>
    openServed({
      project: {
        configuration: configure(configuration),
        handlers: await withSubstitutes(
          new Map([...project.handlers, ...Object.entries(handlers)]),
          configure(configuration),
          { folder: referenceFolder },
        ),
        migrations: project.migrations,
      },
      settings,
      observe: (observation) => void observations.push(observation),
      prepare: async (store) => void (await addSampleOperators(store, project.sampleOperators, hashOnce)),
      ...(now ? { now } : {}),
      shedsLoad,
    })
  let running = await open()
  opening.defer(() => running.close())
  const closing = opening.move()
  return {
    settings,
    issuer: issuer?.issuer,
    observations,
    get gateway() {
      return running.gateway
    },
    get url() {
      return running.url
    },
    get tlsUrl() {
      return running.tlsUrl
    },
    call: (line, callOptions) => running.call(line, callOptions),
    token: (operatorId) => fetchToken(issuer, operatorId),
    restart: async () => {
      await running.close()
      running = await open()
    },
    close: () => closing.disposeAsync(),
  }
}

function openIssuer(operators: readonly SampleOperator[]) {
  const clients = operators.flatMap(({ id, email, clientSecret }) =>
    clientSecret ? [{ id, email, clientSecret }] : [],
  )
  return openSampleIssuer({ host: '127.0.0.1', port: 0, operators: clients })
}

async function fetchToken(issuer: SampleIssuer | undefined, operatorId: string): Promise<string> {
  if (!issuer) throw new Error('Open the gateway with withIssuer: true')
  const response = await fetch(issuer.tokenEndpoint, {
    method: 'POST',
    headers: basic(operatorId, `${operatorId.toLowerCase()}-secret`),
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return token
}
