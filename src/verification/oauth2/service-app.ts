/**
 * The active OAuth2 service app: the registered identity provider, completed from its published metadata document
 * (specification 3.16).
 */
import { openOnceAMinute } from '../../base/once.ts'
import type { ServiceAppDefinition } from '../../configuration/configuration.ts'
import type { Observe } from '../../model/observation.ts'
import { formatPath, type Problem } from '../../model/problem.ts'
import type { Settings } from '../../settings.ts'
import { type FetchSettings, fetchJson } from '../fetch-json.ts'
import type { ProviderDocuments } from './provider-documents.ts'

/** A service app as registered: by its issuer, by the address of its metadata document, or by both. */
export type ServiceApp = ServiceAppDefinition
export type CompleteServiceApp = ServiceApp & { readonly issuer: string }
/** The app with its issuer, and the address of the signing keys if the document has it. */
export type Completion =
  | { readonly app: CompleteServiceApp; readonly jwksUri?: string }
  | { readonly problems: readonly Problem[] }

/** Fetches the metadata document if the app needs it. @throws Error if it cannot be fetched */
export async function completeServiceApp(
  app: ServiceApp,
  settings: FetchSettings,
  documents?: ProviderDocuments,
): Promise<Completion> {
  const pathOf = (field: string) => formatPath(['oauth2ServiceApps', app.name, field])
  if (isComplete(app)) return { app }
  if (!app.metadataUrl) return { problems: [{ path: pathOf('issuer'), message: 'is missing, and so is metadataUrl' }] }

  const metadata = await fetchJson(app.metadataUrl, settings)
  const completion = completeFrom(metadata, app)
  if ('app' in completion) documents?.keep(app.metadataUrl, metadata)
  return completion
}

function completeFrom(metadata: unknown, app: ServiceApp): Completion {
  const path = formatPath(['oauth2ServiceApps', app.name, 'metadataUrl'])
  const problems = checkMetadata(metadata, app).map((message) => ({ path, message }))
  if (problems.length > 0) return { problems }
  const { issuer, authorization_endpoint, token_endpoint, jwks_uri } = metadata as Metadata
  const complete = { authorizationEndpoint: authorization_endpoint, tokenEndpoint: token_endpoint, ...app, issuer }
  if (typeof jwks_uri !== 'string' || !isHttpUrl(jwks_uri)) return { app: complete }
  return { app: complete, jwksUri: new URL(jwks_uri).href }
}

/** Whether `ig.AuthorizationServer` and `ig.JSONWebKey` match each other and the configuration; for start and check. */
export function checkAuthorizationServer(
  settings: Pick<Settings, 'authorizationServer' | 'jsonWebKey'>,
  apps: readonly ServiceApp[],
): readonly Problem[] {
  const { authorizationServer, jsonWebKey } = settings
  const problems: Problem[] = []
  if (authorizationServer !== undefined && !apps.some(({ name }) => name === authorizationServer)) {
    const known = apps.map(({ name }) => name).join(', ') || 'none'
    const message = `names no OAuth2 service app: ${authorizationServer}. Registered are: ${known}`
    problems.push({ path: 'ig.AuthorizationServer', message })
  }
  if (authorizationServer !== undefined && jsonWebKey === undefined) {
    problems.push({ path: 'ig.JSONWebKey', message: 'is missing: the URL of the public signing keys (jwks_uri)' })
  }
  if (authorizationServer === undefined && jsonWebKey !== undefined) {
    problems.push({ path: 'ig.AuthorizationServer', message: 'is missing: ig.JSONWebKey alone names no provider' })
  }
  return problems
}

export interface Provider {
  /** The app, as soon as its issuer is known; retries at most every five seconds. */
  app(): CompleteServiceApp | undefined | Promise<CompleteServiceApp | undefined>
  /** Why it is not known, after the first attempt. Starts an attempt that is due. */
  trouble(): string | undefined
}

export interface ProviderOptions {
  readonly settings: FetchSettings
  readonly observe: Observe
  readonly documents?: ProviderDocuments | undefined
  now(): number
}

/** An unavailable provider delays nothing: its tokens are rejected until its metadata was fetched. */
export function openProvider(app: ServiceApp, { settings, observe, documents, now }: ProviderOptions): Provider {
  let complete = isComplete(app) || app.issuer ? (app as CompleteServiceApp) : undefined
  let completing: Promise<CompleteServiceApp | undefined> | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  const reports = openOnceAMinute(now) // during an outage calls retry every few seconds
  let failure: string | undefined

  const attempt = async () => {
    try {
      const completion = await completeServiceApp(app, settings, documents)
      if ('app' in completion) complete = completion.app
      else report(completion.problems.map(({ path, message }) => `${path} ${message}`).join('; '))
    } catch (error) {
      report(`its metadata cannot be read: ${(error as Error).message}`)
    }
    triedAt = now()
    completing = undefined
    return complete
  }
  const report = (reason: string) => {
    failure = `the OAuth2 service app ${app.name} is not usable: ${reason}`
    if (!reports.isDue()) return
    const message = `The OAuth2 service app ${app.name} is not usable, bearer tokens are rejected: ${reason}`
    observe({ kind: 'event', level: 'error', name: 'providerUnusable', message })
  }
  const find = () => {
    if (complete || completing) return complete ?? completing
    if (now() - triedAt < retryDelay) return undefined
    completing = attempt()
    return completing
  }
  const known = complete ? undefined : documents?.find(app.metadataUrl)
  const completion = known === undefined ? undefined : completeFrom(known, app)
  if (completion && 'app' in completion) complete = completion.app
  void find()
  return {
    app: find,
    trouble() {
      void find()
      return complete ? undefined : failure
    },
  }
}

const retryDelay = 5_000

interface Metadata {
  readonly issuer: string
  readonly authorization_endpoint?: string
  readonly token_endpoint?: string
  readonly jwks_uri?: unknown
}

function isComplete(app: ServiceApp): app is CompleteServiceApp {
  return Boolean(app.issuer && (!app.metadataUrl || (app.authorizationEndpoint && app.tokenEndpoint)))
}

function checkMetadata(document: unknown, app: ServiceApp): readonly string[] {
  if (typeof document !== 'object' || document === null) return ['is not a metadata document']
  const metadata = document as Record<string, unknown>
  const { issuer } = metadata
  if (typeof issuer !== 'string' || !isHttpUrl(issuer)) return ['is a document without an issuer']
  const problems: string[] = []
  if (app.issuer && app.issuer !== issuer) problems.push('is a document of another issuer')
  if (!metadataUrlsOf(issuer).includes(withoutQuery(app.metadataUrl))) {
    problems.push('is not an address at which the issuer of the document publishes its metadata')
  }
  for (const name of ['authorization_endpoint', 'token_endpoint']) {
    const value = metadata[name]
    if (value !== undefined && (typeof value !== 'string' || !isHttpUrl(value))) problems.push(`has a bad ${name}`)
  }
  return problems
}

/**
 * OpenID Connect appends the well-known path to the issuer, RFC 8414 inserts it before the issuer's path; many append
 * both.
 */
function metadataUrlsOf(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return ['openid-configuration', 'oauth-authorization-server'].flatMap((name) => [
    `${origin}${path}/.well-known/${name}`,
    `${origin}/.well-known/${name}${path}`,
  ])
}

function withoutQuery(url = ''): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname.replace(/\/$/, '')
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
