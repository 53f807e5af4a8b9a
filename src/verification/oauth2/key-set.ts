/**
 * The provider's public signing keys: fetched from `ig.JSONWebKey`, found by `kid`, fetched again if a token names an
 * unknown one, and kept while the provider is unreachable (specification 3.14, 3.15).
 */
import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { createLocalJWKSet, type JSONWebKeySet, type JWK, type JWTVerifyGetKey } from 'jose'
import { openOnceAMinute } from '../../base/once.ts'
import type { Observe } from '../../model/observation.ts'
import { type FetchSettings, fetchJson } from '../fetch-json.ts'
import type { ProviderDocuments } from './provider-documents.ts'

export interface KeySet {
  /** Changes whenever other keys become active. */
  readonly generation: number
  /** False if the last fetch is so old that keys may have been withdrawn. Starts a fetch that is due. */
  isFresh(): boolean
  /** Why there are no keys at all. Starts a fetch that is due. */
  trouble(): string | undefined
  /** Whether a token with this key, or without one, needs no fetch. */
  knows(kid: unknown): boolean
  /** @throws jose's errors: no key, several keys, malformed key; or Error while there are no keys */
  readonly find: JWTVerifyGetKey
}

export interface KeySetOptions {
  readonly url: string
  readonly settings: FetchSettings
  readonly observe: Observe
  readonly documents?: ProviderDocuments | undefined
  now(): number
}

const second = 1000
const minute = 60 * second
/** An unknown `kid` cannot trigger fetches more often than this. */
const coolDown = 30 * second
/** Without any key every token is rejected: retries soon, in case the provider starts after the gateway. */
const retryDelay = 5 * second
/** Withdrawn keys are detected by periodic fetches, in the background of a call. */
const refreshAfter = 10 * minute
/** After a night without calls, the first call waits for the fetch. */
const staleAfter = 2 * refreshAfter
const maxKeys = 100

export function openKeySet({ url, settings, observe, documents, now }: KeySetOptions): KeySet {
  let keys: JWTVerifyGetKey | undefined
  let kids: ReadonlySet<string> = new Set()
  let source = ''
  let generation = 0
  let fetching: Promise<void> | undefined
  let fetchedAt = now() // end of the last attempt, successful or not
  let failure: string | undefined
  const reports = openOnceAMinute(now) // during an outage calls retry every few seconds
  let unknownKidAt = Number.NEGATIVE_INFINITY

  /** @returns whether the keys changed */
  const use = (set: JSONWebKeySet) => {
    const text = JSON.stringify(set.keys)
    if (text === source) return false
    keys = createLocalJWKSet(set)
    kids = new Set(set.keys.map(({ kid }) => kid).filter((kid) => typeof kid === 'string'))
    source = text
    generation++
    return true
  }

  /** Never throws: a failure is an event, and the keys stay. */
  const refresh = () => {
    fetching ??= fetchKeys(url, settings)
      .then((fetched) => {
        failure = undefined
        reports.forget()
        documents?.keep(url, fetched)
        if (!use(fetched)) return
        const message = `Fetched ${fetched.keys.length} signing key${fetched.keys.length === 1 ? '' : 's'} from ${url}.`
        observe({ kind: 'event', level: 'information', name: 'keysFetched', message, detail: { kids: [...kids] } })
      })
      .catch((error: Error) => {
        failure = `the signing keys of the provider cannot be read: ${error.message}`
        if (!reports.isDue()) return
        const consequence = keys ? 'The known keys stay valid.' : 'Bearer tokens are rejected until it works.'
        const message = `Reading the signing keys from ${url} failed: ${error.message}. ${consequence}`
        observe({ kind: 'event', level: 'error', name: 'keysUnreachable', message })
      })
      .finally(() => {
        fetching = undefined
        fetchedAt = now()
      })
    return fetching
  }

  const isFresh = () => {
    const age = now() - fetchedAt
    if (age >= (!keys ? retryDelay : failure ? coolDown : refreshAfter)) refresh()
    return age < staleAfter
  }

  /** One fetch for all waiting calls, then none during the cool-down. */
  const refreshForUnknown = async (kid: string) => {
    await fetching // a running fetch may return the key
    if (kids.has(kid)) return
    if (now() - unknownKidAt < coolDown) return fetching
    unknownKidAt = now()
    return refresh()
  }

  const isKnown = (kid: unknown) => typeof kid !== 'string' || kids.has(kid)

  const find: JWTVerifyGetKey = async (header, token) => {
    const { kid } = header as { kid?: unknown }
    if (!keys) {
      isFresh()
      await fetching
    } else if (!isKnown(kid)) await refreshForUnknown(String(kid))
    else if (!isFresh()) await fetching
    if (!keys) throw new Error(failure)
    return keys(header, token)
  }

  const known = documents?.find(url) as JSONWebKeySet | undefined
  if (known) {
    use(known)
    fetchedAt = Number.NEGATIVE_INFINITY // the first call waits for the fetch: keys may have been withdrawn
  }
  refresh()
  return {
    get generation() {
      return generation
    },
    isFresh,
    trouble() {
      if (keys) return undefined
      isFresh()
      return failure
    },
    knows: (kid) => keys !== undefined && isKnown(kid),
    find,
  }
}

/** Entries that are no usable keys for signatures are passed over. An empty list withdraws all keys. */
async function fetchKeys(url: string, settings: FetchSettings): Promise<JSONWebKeySet> {
  const document = (await fetchJson(url, settings)) as { keys?: unknown; jwks_uri?: unknown } | null
  const hint = document?.jwks_uri ? ', but the metadata: ig.JSONWebKey is the jwks_uri in it' : ''
  if (!Array.isArray(document?.keys)) throw new Error(`the document is not a JSON Web Key Set${hint}`)
  const listed: readonly unknown[] = document.keys
  if (listed.length > maxKeys) throw new Error(`the key set has more than ${maxKeys} keys`)
  const keys = listed.map(withoutNulls).filter(isSigningKey)
  if (listed.length > 0 && keys.length === 0) throw new Error('the key set has no usable key for signatures')
  return { keys }
}

/** Some servers write a member that is absent as null. */
function withoutNulls(entry: unknown): JWK {
  return Object.fromEntries(Object.entries(entry ?? {}).filter(([, value]) => value !== null))
}

function isSigningKey(key: JWK): boolean {
  const { kty, use = 'sig' } = key
  return use === 'sig' && (kty === 'RSA' || kty === 'EC' || kty === 'OKP') && isReadable(key)
}

function isReadable(key: JWK): boolean {
  try {
    createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
    return true
  } catch {
    return false
  }
}
