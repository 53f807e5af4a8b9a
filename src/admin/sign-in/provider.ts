/**
 * Signing in with an OpenID Connect provider: the code flow with PKCE, by openid-client, which is loaded with the first
 * sign-in (specification 34.1, 34.5).
 */
import type { Configuration, ServerMetadata } from 'openid-client'
import { AdminProblem } from '../../actions/problem-details.ts'
import { showLine } from '../../base/escape.ts'
import type { ProviderSettings } from '../../settings.ts'
import { fetchFromProvider, ProviderAway, requireSafe } from './fetch-from-provider.ts'
import { type Claims, findClaim } from './role-of-claims.ts'

export interface Provider {
  readonly settings: ProviderSettings
  /** @param callback the URL that the provider sends the browser back to @throws AdminProblem */
  begin(callback: string): Promise<{ readonly url: string; readonly flow: Flow }>
  /** @param url that the browser came back to, with the provider's parameters @throws AdminProblem */
  finish(url: URL, flow: Flow): Promise<Person>
}

/** What only the browser that began has: another one cannot finish. */
export interface Flow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface Person {
  readonly issuer: string
  readonly subject: string
  readonly claims: Claims
}

/** Milliseconds after which the provider's metadata is read again. */
const metadataLife = 3_600_000
/** Seconds. */
const clockTolerance = 60
/** Characters of `sub`, by OpenID Connect. */
const maxSubject = 255

type Library = typeof import('openid-client')

export function openProvider(settings: ProviderSettings, now: () => number): Provider {
  let known: { readonly discovery: Promise<Configuration>; readonly until: number } | undefined
  const discover = (library: Library): Promise<Configuration> => {
    if (known && known.until > now()) return known.discovery
    const discovery = readMetadata(library, settings)
    known = { discovery, until: now() + metadataLife }
    discovery.catch(() => {
      known = undefined
    })
    return discovery
  }
  return {
    settings,
    begin: (callback) =>
      asked(async () => {
        const library = await import('openid-client')
        const configuration = await discover(library)
        const flow = {
          state: library.randomState(),
          nonce: library.randomNonce(),
          verifier: library.randomPKCECodeVerifier(),
        }
        const url = library.buildAuthorizationUrl(configuration, {
          redirect_uri: callback,
          scope: settings.scopes,
          state: flow.state,
          nonce: flow.nonce,
          code_challenge: await library.calculatePKCECodeChallenge(flow.verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, flow }
      }),
    finish: (url, { state, nonce, verifier }) =>
      asked(async () => {
        const library = await import('openid-client')
        const configuration = await discover(library)
        const tokens = await library.authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims: Claims = tokens.claims() ?? {}
        const { sub, iat } = claims
        // The library verifies `exp` and `nbf`
        if (Number(iat) > now() / 1000 + clockTolerance) throw new Error('the claim iat is in the future')
        if (typeof sub !== 'string' || sub.length > maxSubject || !/^\P{C}+$/u.test(sub))
          throw new Error(`the claim sub must have 1 to ${maxSubject} characters, and no control characters`)
        const wanted = [settings.nameClaim, settings.roleClaim]
        const isComplete = wanted.every((name) => findClaim(claims, name) !== undefined)
        const { userinfo_endpoint } = configuration.serverMetadata()
        const further =
          isComplete || userinfo_endpoint === undefined
            ? {}
            : await library.fetchUserInfo(configuration, tokens.access_token, sub)
        return { issuer: settings.issuer, subject: sub, claims: { ...further, ...claims } }
      }),
  }
}

async function readMetadata(library: Library, settings: ProviderSettings): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = settings
  const execute = issuer.startsWith('http:') ? [library.allowInsecureRequests] : []
  const client = { [library.clockTolerance]: clockTolerance }
  const options = { execute, [library.customFetch]: fetchFromProvider }
  const found = await library.discovery(new URL(issuer), clientId, client, library.None(), options)
  const metadata = found.serverMetadata()
  requireUsable(metadata) // before it is kept
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const authentication = methods.includes('client_secret_basic') ? library.ClientSecretBasic : library.ClientSecretPost
  const configuration = new library.Configuration(
    metadata,
    clientId,
    client,
    clientSecret === undefined ? library.None() : authentication(clientSecret),
  )
  configuration[library.customFetch] = fetchFromProvider
  for (const apply of execute) apply(configuration)
  library.enableNonRepudiationChecks(configuration) // also the signature of an ID token that came over TLS
  return configuration
}

/** @throws Error */
function requireUsable(metadata: ServerMetadata): void {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    const url = metadata[name]
    if (typeof url !== 'string' || !URL.canParse(url)) throw new Error(`its metadata has no valid ${name}`)
    requireSafe(url)
  }
  if (metadata.userinfo_endpoint !== undefined) requireSafe(metadata.userinfo_endpoint)
}

/** Any failure is the provider's or that of the one who came back: the log gets its reason. */
async function asked<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const reason = reasonOf(error)
    if (isAway(error))
      throw new AdminProblem('providerAway', 'The identity provider does not answer. Try again later.', { reason })
    throw refusedAnswer(reason)
  }
}

export function refusedAnswer(reason: string): AdminProblem {
  return new AdminProblem('providerRejected', 'The answer of the identity provider was refused. Sign in again.', {
    reason,
  })
}

function isAway(error: unknown): boolean {
  return error instanceof Error && (error instanceof ProviderAway || isAway(error.cause))
}

/** Of the innermost cause, without its values, which may be claims of people. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  if (cause instanceof Error) return reasonOf(cause)
  return showLine(message, 200)
}
