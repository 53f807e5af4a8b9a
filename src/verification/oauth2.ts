/**
 * Bearer tokens after RFC 6750: verified, cached until they expire, mapped to an operator (specification 3.9 to 3.17).
 */
import type { Catalog } from '../configuration/catalog.ts'
import { fillIn } from '../configuration/environment-values.ts'
import type { Observe } from '../model/observation.ts'
import type { Operator } from '../model/operator.ts'
import { Refusal } from '../model/refusal.ts'
import { modeOfScheme } from '../model/verification.ts'
import type { Settings } from '../settings.ts'
import { openCredentialCache } from './credential-cache.ts'
import { type AccessToken, verifyAccessToken } from './oauth2/access-token.ts'
import { openKeySet } from './oauth2/key-set.ts'
import { MappingFailure, openUserMapping } from './oauth2/map-user.ts'
import type { ProviderDocuments } from './oauth2/provider-documents.ts'
import { openProvider, type Provider, type ProviderOptions } from './oauth2/service-app.ts'
import { type CalledOperation, type Operators, requireUnlocked, type Verifier } from './verifier.ts'

export type BearerVerifier = Verifier & Required<Pick<Verifier, 'trouble'>>

export interface BearerOptions {
  readonly settings: Pick<
    Settings,
    'authorizationServer' | 'jsonWebKey' | 'userMapping' | 'tokenKind' | 'privateAddresses' | 'ofHandlers'
  >
  readonly catalog: Catalog
  readonly observe: Observe
  readonly documents?: ProviderDocuments | undefined
  now(): number
}

const maxRemembered = 10_000

export function openBearerVerifier({ settings, catalog, observe, documents, now }: BearerOptions): BearerVerifier {
  const remembered = openCredentialCache<AccessToken & { readonly generation: number }>(maxRemembered)
  const mapUser = openUserMapping(settings.userMapping, now)
  const keySet = settings.jsonWebKey
    ? openKeySet({ url: settings.jsonWebKey, settings, observe, documents, now })
    : undefined
  const findProvider = openProviderOfCatalog(settings, { settings, observe, documents, now })
  findProvider(catalog) // its metadata may be here by the first call

  const verify = async (header: string, catalog: Catalog, key: string): Promise<AccessToken> => {
    const token = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1]
    if (!token) throw new Error('malformed bearer token')
    const provider = findProvider(catalog)
    if (!provider || !keySet)
      throw new Error('no identity provider is configured (ig.AuthorizationServer, ig.JSONWebKey)')
    const app = await provider.app()
    if (!app) throw new Error(provider.trouble())
    const { generation } = keySet // read first: if keys change meanwhile, the result is not cached
    const accessToken = await verifyAccessToken(token, app, keySet, settings, now())
    remembered.remember(key, catalog, { ...accessToken, generation })
    return accessToken
  }

  const mapOrReject = (claims: AccessToken, operation: CalledOperation, operators: Operators): Operator => {
    const operator = mapUser(claims, operators)
    if (operator instanceof MappingFailure) throw rejected(operator.reason, operation)
    return requireUnlocked(operator, (reason) => rejected(reason, operation))
  }

  return {
    rejected,
    trouble(catalog) {
      const reason = findProvider(catalog)?.trouble() ?? keySet?.trouble()
      return reason && `Bearer tokens are rejected: ${reason}.`
    },
    async verify({ headers }, operation, catalog, operators) {
      const header = String(headers.authorization ?? '')
      if (modeOfScheme(header) !== 'OAuth2') throw rejected('no bearer token', operation)
      const key = remembered.keyOf(header)
      const known = remembered.find(key, catalog)
      if (known && known.generation === keySet?.generation && keySet.isFresh() && now() < known.expires) {
        return mapOrReject(known, operation, operators)
      }
      if (known) remembered.forget(key)
      const claims = await verify(header, catalog, key).catch((error: Error) => {
        throw rejected(error.message, operation)
      })
      return mapOrReject(claims, operation, operators)
    },
  }
}

/** The lines that administrators of the original search their logs for; the token itself is never included. */
function rejected(cause: string, { segment }: CalledOperation): Refusal {
  const lines = [
    'Invalid Access Token.',
    `OAuth2 Authentication failed for Service Operation ${segment} (158,461).`,
    "No operator was found for the OAuth2 user, payload string: ''.",
    `Cause: ${cause}.`,
  ]
  return new Refusal('tokenRejected', lines.join(' '))
}

/** One provider for each configuration: a new one may register another issuer under the same name. */
function openProviderOfCatalog(
  { authorizationServer: name, ofHandlers }: BearerOptions['settings'],
  options: ProviderOptions,
) {
  const providers = new WeakMap<Catalog, Provider | undefined>()
  return (catalog: Catalog): Provider | undefined => {
    if (!providers.has(catalog)) {
      const app = catalog.configuration.oauth2ServiceApps.find((app) => app.name === name)
      providers.set(catalog, app && openProvider(fillIn(app, ofHandlers.find), options))
    }
    return providers.get(catalog)
  }
}
