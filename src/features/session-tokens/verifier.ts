/**
 * Session tokens (specification 27): signed with EdDSA, verified without a question to the database, cached until they
 * expire. Keys and revocations come with the changes of the store.
 */
import type { KeyObject } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { openRandomTexts } from '../../base/random-text.ts'
import type { Catalog } from '../../configuration/catalog.ts'
import type { Call } from '../../model/call.ts'
import { withClaimed } from '../../model/claimed-name.ts'
import type { Operator } from '../../model/operator.ts'
import { Refusal } from '../../model/refusal.ts'
import { verificationOf } from '../../model/verification.ts'
import type { Settings } from '../../settings.ts'
import { requireSecretKey } from '../../store/secrets.ts'
import { openCredentialCache } from '../../verification/credential-cache.ts'
import { isCanonical } from '../../verification/is-canonical.ts'
import {
  type IssuedToken,
  type Operators,
  requireUnlocked,
  type Verifier,
  type VerifierOptions,
} from '../../verification/verifier.ts'
import { readSessionToken } from './read-session-token.ts'
import { openSessionTokenRows } from './rows.ts'
import { hasEnded, makeSessionKey, maxSessionLife, openPrivateKey, openPublicKey } from './session-keys.ts'
import { type SessionGeneration, type SessionKey, type SessionTokenState, sessionKeyId } from './session-token.ts'

/** The part of the catalog that says which nodes' tokens are accepted. */
type Nodes = Pick<Catalog, 'defaultNode' | 'configuration'>

export interface SessionTokens extends Verifier {
  follow(epoch: number): Promise<void>
  issue(operatorId: string, node: string): Promise<IssuedToken>
  /** Creates the first key if the configuration has operations that need one. */
  prepare(catalog: Catalog): Promise<void>
  readonly state: SessionTokenState
}

export interface SessionTokenOptions extends Omit<VerifierOptions, 'settings'> {
  readonly settings: Pick<Settings, 'sessionToken' | 'secretKey'>
}

const maxRemembered = 10_000
/** Not an access token, and no access token is one. */
const kind = 'session+jwt'
/** Seconds. Clocks of other nodes may differ by so much. */
const skew = 120
const newId = openRandomTexts(12, 'base64url')

interface VerifiedToken {
  readonly operatorId: string
  readonly id: string
  /** Epoch milliseconds. */
  readonly expires: number
  readonly generation: object
}

export async function openVerifiers(options: VerifierOptions) {
  return { Token: await openSessionTokens(options) }
}

/** @throws StoreUnavailable if `ig.secretKey` is not that of the keys */
export async function openSessionTokens(options: SessionTokenOptions): Promise<SessionTokens> {
  const { settings, store, observe, isTrial, now } = options
  const rows = openSessionTokenRows(store.databases)
  const remembered = openCredentialCache<VerifiedToken>(maxRemembered)
  const generations = new Map<string, SessionGeneration>()
  const revoked = new Map<string, number>()
  let keys: readonly SessionKey[] = []
  let opened = new Map<string, OpenedKey>()
  /** Replaced by each change: what was verified before it is verified again. */
  let generation = {}
  let registered: { readonly nodes?: object; readonly keys: ReadonlyMap<unknown, NodeKey> } = { keys: new Map() }
  let preparing: Promise<unknown> | undefined
  /** A catalog without operations that need a key. */
  let unused: Catalog | undefined
  /** The database's time: processes on other machines read these times. */
  const time = () => now() + store.clockOffset

  const useKeys = (all: readonly SessionKey[]) => {
    keys = all
    opened = new Map(all.map((key) => [key.id, opened.get(key.id) ?? { publicKey: openPublicKey(key.publicKey) }]))
  }
  /** A key that another process sealed with a newer `ig.secretKey` verifies, and the key before it signs. */
  const findSigning = (at: number) => {
    for (const key of keys) {
      const part = opened.get(key.id)
      if (!part || key.signs > at || hasEnded(key, at)) continue
      try {
        part.privateKey ??= openPrivateKey(key, settings.secretKey)
        return { id: key.id, privateKey: part.privateKey }
      } catch (error) {
        const message = `The session token key ${key.id} cannot sign here: ${(error as Error).message}.`
        if (!part.isReported) observe({ kind: 'event', level: 'error', name: 'sessionKeyUnusable', message })
        part.isReported = true
      }
    }
    return undefined
  }
  const requireSigning = async () => {
    const known = findSigning(time())
    if (known) return known
    useKeys(await rows.ensureKey(makeSessionKey(settings.secretKey, time())))
    const made = findSigning(time())
    if (made) return made
    throw new Refusal('overloaded', 'No session token key can sign here.')
  }
  const findKey = (id: unknown, nodes: Nodes, at: number): Pick<NodeKey, 'publicKey'> & Partial<NodeKey> => {
    const { nodes: all } = nodes.configuration
    if (registered.nodes !== all) registered = { nodes: all, keys: openRegistered(all) }
    const own = keys.find((key) => key.id === id)
    const part = own && opened.get(own.id)
    if (part && !hasEnded(own, at)) return part
    const foreign = own ? undefined : registered.keys.get(id)
    if (foreign) return foreign
    throw new Error(own ? 'its key has ended' : 'its key is unknown')
  }
  const verify = async (token: string, nodes: Nodes): Promise<VerifiedToken> => {
    const verifiedAs = generation // read first: if something is revoked meanwhile, the result is not cached
    if (!isCanonical(token)) throw new Error('the signature is not canonical base64url')
    const at = time()
    let node: string | undefined
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const found = findKey(kid, nodes, at)
        node = found.node
        return found.publicKey
      },
      { algorithms: ['EdDSA'], typ: kind, currentDate: new Date(at), requiredClaims: ['exp', 'iat', 'jti', 'sub'] },
    )
    const { iss, sub, jti, iat = Number.NaN, exp = Number.NaN, gen = 0 } = payload
    if (iss !== (node ?? nodes.defaultNode)) throw new Error('it is of another node')
    if (typeof sub !== 'string' || typeof jti !== 'string') throw new Error('its claims are malformed')
    if (!(iat <= at / 1000 + skew)) throw new Error('it was issued in the future')
    const maxLife = node === undefined ? settings.sessionToken.lifetime : maxSessionLife
    if (!(exp - iat <= maxLife / 1000)) throw new Error('it lives too long')
    const raised = generations.get(sub)
    // The clocks of other nodes may be late, and their tokens know no generation of ours
    const isRevoked =
      node === undefined ? gen !== (raised?.generation ?? 0) : raised && iat - skew <= raised.time / 1000
    if (isRevoked || revoked.has(jti)) throw new Error('it is revoked')
    return { operatorId: sub, id: jti, expires: exp * 1000, generation: verifiedAs }
  }
  const requireOperator = ({ operatorId }: VerifiedToken, operators: Operators): Operator => {
    const operator = operators.get(operatorId)
    if (!operator) throw rejected(withClaimed('no such operator', operatorId))
    return requireUnlocked(operator, rejected)
  }

  const apply = (changes: SessionTokenState) => {
    const hasKeys = JSON.stringify(changes.keys) !== JSON.stringify(keys)
    if (!hasKeys && changes.generations.length === 0 && changes.revoked.length === 0) return
    if (hasKeys) useKeys(changes.keys)
    for (const each of changes.generations) generations.set(each.operatorId, each)
    for (const { id, expires } of changes.revoked) revoked.set(id, expires)
    for (const [id, expires] of revoked) if (expires < time()) revoked.delete(id)
    generation = {}
  }

  apply((options.states?.Token as SessionTokenState | undefined) ?? (await rows.read()))
  if (!isTrial)
    requireSecretKey(
      settings,
      keys.map(({ privateKey }) => privateKey),
    )
  return {
    rejected,
    async verify({ headers }, _operation, catalog, operators) {
      const token = readOrReject(headers)
      const key = remembered.keyOf(token)
      const known = remembered.find(key, catalog)
      if (known && known.generation === generation && time() < known.expires) return requireOperator(known, operators)
      if (known) remembered.forget(key)
      const verified = await verify(token, catalog).catch((error: Error) => {
        throw rejected(error.message)
      })
      remembered.remember(key, catalog, verified)
      return requireOperator(verified, operators)
    },
    async issue(operatorId, node) {
      const { id: kid, privateKey } = await requireSigning()
      const issued = Math.floor(time() / 1000)
      const lifetime = Math.floor(settings.sessionToken.lifetime / 1000)
      const id = newId()
      const gen = generations.get(operatorId)?.generation
      const token = await new SignJWT(gen === undefined ? {} : { gen })
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: kind })
        .setIssuer(node)
        .setSubject(operatorId)
        .setJti(id)
        .setIssuedAt(issued)
        .setExpirationTime(issued + lifetime)
        .sign(privateKey)
      return { token, id, expires: (issued + lifetime) * 1000 }
    },
    async follow(epoch) {
      const changes = await rows.changedSince(epoch)
      if (epoch < 0) {
        generations.clear()
        revoked.clear()
        generation = {}
      }
      apply(changes)
    },
    async prepare(catalog) {
      if (isTrial || catalog === unused || keys.some(({ ends }) => ends === null)) return
      if (![...catalog.operations.values()].some(({ verification }) => verificationOf(verification).mode === 'Token')) {
        unused = catalog
        return
      }
      preparing ??= requireSigning().finally(() => {
        preparing = undefined
      })
      await preparing
    },
    get state() {
      return {
        keys,
        generations: [...generations.values()],
        revoked: [...revoked].map(([id, expires]) => ({ id, expires })),
      }
    },
  }
}

interface NodeKey {
  readonly publicKey: KeyObject
  readonly node: string
}

interface OpenedKey {
  readonly publicKey: KeyObject
  /** Opened when it first signs. */
  privateKey?: KeyObject
  isReported?: boolean
}

/** The keys of other gateways by their ids, with the node that each signs for: of several nodes the first. */
function openRegistered(nodes: Nodes['configuration']['nodes']): ReadonlyMap<unknown, NodeKey> {
  const keys = new Map<unknown, NodeKey>()
  for (const { name, isActive, sessionTokenKeys = [] } of nodes.toReversed())
    for (const key of isActive ? sessionTokenKeys : [])
      keys.set(sessionKeyId(key), { publicKey: openPublicKey(key), node: name })
  return keys
}

function readOrReject(headers: Call['headers']): string {
  try {
    return readSessionToken(headers)
  } catch (error) {
    throw rejected((error as Error).message)
  }
}

function rejected(reason: string): Refusal {
  return new Refusal('sessionTokenRejected', `Session token authentication failed: ${reason}.`)
}
