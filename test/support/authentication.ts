/** The sample operators and a catalog by hand, so that authentication can be tested on real parts without a gateway. */
import type { Catalog } from '../../src/configuration/catalog.ts'
import type { Observation } from '../../src/model/observation.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { Operator } from '../../src/model/operator.ts'
import { Refusal } from '../../src/model/refusal.ts'
import type { Verification } from '../../src/model/verification.ts'
import { openHandlerSettings } from '../../src/settings/handler-settings.ts'
import type { Settings } from '../../src/settings.ts'
import { authenticate } from '../../src/steps/authenticate.ts'
import { requireTls } from '../../src/steps/require-allowed-origin.ts'
import type { BasicOptions } from '../../src/verification/basic.ts'
import type { ServiceApp } from '../../src/verification/oauth2/service-app.ts'
import { openVerifiers } from '../../src/verification/open-verifiers.ts'
import { hashOnce } from './hash-once.ts'
import type { TestIssuer } from './issuer.ts'

export interface AskOptions {
  readonly verification?: Verification
  readonly isSecure?: boolean
  readonly remoteAddress?: string
  readonly signal?: AbortSignal
}

export interface OpenAuthenticationOptions {
  readonly issuer?: TestIssuer
  readonly serviceApp?: Partial<ServiceApp>
  readonly userMapping?: Settings['userMapping']
  readonly tokenKind?: Settings['tokenKind']
  readonly anonymousOperatorId?: string | undefined
  readonly basic?: BasicOptions
  readonly environment?: Readonly<Record<string, string>>
}

export type Authentication = Awaited<ReturnType<typeof openAuthentication>>

export async function openAuthentication(options: OpenAuthenticationOptions = {}) {
  const { issuer, userMapping = 'sub+email', tokenKind = 'access' } = options
  const anonymousOperatorId = 'anonymousOperatorId' in options ? options.anonymousOperatorId : 'GUEST'
  const events: Observation[] = []
  const operators = new Map((await sampleOperators).map((operator) => [operator.id, operator]))
  const serviceApp = issuer && { name: 'PROVIDER', issuer: issuer.issuer, ...options.serviceApp }
  const catalogOf = (change: Partial<Catalog> = {}, app: Partial<ServiceApp> | undefined = serviceApp) =>
    ({
      anonymousOperatorId,
      configuration: { oauth2ServiceApps: app ? [app] : [] },
      ...change,
    }) as unknown as Catalog

  const it = {
    events,
    operators,
    catalogOf,
    catalog: catalogOf(),
    /** Epoch milliseconds. */
    time: issuer?.now ?? Date.now(),
    /** The operator, or the refusal that was thrown. */
    async ask(authorization: string | undefined, { verification = 'OAuth2', ...client }: AskOptions = {}) {
      try {
        const operation = { ...sampleOperation, verification }
        const call = {
          headers: { authorization },
          isSecure: false,
          remoteAddress: '192.0.2.1',
          signal: never,
          ...client,
        }
        requireTls(call, operation)
        return await authenticate(call, operation, it.catalog, { operators, verifiers })
      } catch (error) {
        if (error instanceof Refusal) return error
        throw error
      }
    },
    /** Its id, or the refusal's code. */
    async who(authorization: string | undefined, ask: AskOptions = {}): Promise<string> {
      const answer = await it.ask(authorization, ask)
      return answer instanceof Refusal ? answer.code : answer.id
    },
    trouble: () => verifiers.OAuth2.trouble(it.catalog),
    change(id: string, change: Partial<Operator>) {
      operators.set(id, { ...(operators.get(id) as Operator), ...change })
    },
  }
  const settings = {
    authorizationServer: serviceApp?.name,
    jsonWebKey: issuer?.jwksUrl,
    userMapping,
    tokenKind,
    privateAddresses: 'allow',
    ofHandlers: openHandlerSettings(options.environment ?? {}),
  } as const
  const observe = (observation: Observation) => void events.push(observation)
  const verifiers = await openVerifiers(
    {
      settings,
      catalog: it.catalog,
      observe,
      basic: { maxDelay: 1, ...options.basic },
      now: () => it.time,
    },
    {} as never, // no operation of these tests has the mode of a feature
  )
  return it
}

const never = new AbortController().signal

export function basic(id: string, password = `${id.toLowerCase()}-password`): string {
  return `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`
}

const sampleOperators: Promise<readonly Operator[]> = Promise.all(
  ['GUEST', 'DEMO', 'DEMO2', 'NOPERM', 'LOCKED'].map(async (id) => ({
    id,
    description: '',
    passwordHash: await hashOnce(`${id.toLowerCase()}-password`),
    emails: [
      { type: 'business', address: `${id.toLowerCase()}@example.com`, isPrimary: true },
      { type: 'home', address: `${id.toLowerCase()}@home.example`, isPrimary: false },
    ],
    isLocked: id === 'LOCKED',
    permissionLists: id === 'NOPERM' ? [] : ['ALL'],
  })),
)

const sampleOperation = {
  id: 'METADATA_OAUTH2_GET.v1',
  fullName: 'METADATA_OAUTH2_GET',
  name: 'METADATA_OAUTH2',
  alias: 'metadata-oauth2',
  segment: 'metadata-oauth2.v1',
  version: 'v1',
  method: 'GET',
  permittedBy: new Set(['ALL']),
} as Partial<Operation> as Operation
