/** Basic credentials (RFC 7617): parsed strictly, verified with argon2id, cached (specification 3.7, 3.8, 3.17, 3.24). */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { networkOf } from '../base/network.ts'
import { openPerMinute } from '../base/per-minute.ts'
import { withClaimed } from '../model/claimed-name.ts'
import type { Observe } from '../model/observation.ts'
import { firstLoginMark, hasPassword, type Operator } from '../model/operator.ts'
import { Refusal } from '../model/refusal.ts'
import { modeOfScheme } from '../model/verification.ts'
import type { OperatorStore } from '../store/operator-store.ts'
import { isOldPassword, verifyOperatorPassword } from './basic/old-password.ts'
import { resolveId } from './basic/operator-case.ts'
import { openBoundedWork, type WaitingClient } from './bounded-work.ts'
import { openCredentialCache } from './credential-cache.ts'
import { type AttemptOutcome, openLoginThrottle } from './login-throttle.ts'
import { hashPassword } from './password.ts'
import type { PasswordSource } from './password-source.ts'
import { type CallCredentials, type Operators, requireUnlocked, type Verifier } from './verifier.ts'

/** The hash of a random secret, verified for unknown operators so that timing does not reveal them. One per process. */
let hashOfNone: Promise<string> | undefined

export type BasicVerifier = Verifier & Required<Pick<Verifier, 'endDelays'>>

const maxRemembered = 10_000
/** At most two of libuv's four threads: files and compression need the others. */
const concurrency = Math.min(2, availableParallelism())
/**
 * Milliseconds, while a password source is open: its server must answer within the first time, and wrong passwords are
 * refused after the second one, so that a refusal does not show whether that server was asked.
 */
const sourceTimeout = 5_000
const refusedAfter = 6_000
/** At 8 ms each, the last in the queue waits less than two seconds. */
const defaultMaxWaiting = 200

export interface BasicOptions {
  /** Maximum delay of the answer to a wrong password, in milliseconds. */
  readonly maxDelay?: number
  /** Maximum number of passwords that wait to be verified. */
  readonly maxWaiting?: number
  /** Stores the password of an operator in another form. */
  readonly replacePasswordHash?: OperatorStore['replacePasswordHash']
  /** Verifies operators that have no password here. */
  readonly passwords?: PasswordSource | undefined
  readonly observe?: Observe
}

export async function openBasicVerifier(options: BasicOptions): Promise<BasicVerifier> {
  const {
    maxWaiting = defaultMaxWaiting,
    replacePasswordHash,
    passwords: source,
    observe = () => {},
    maxDelay,
  } = options
  const remembered = openCredentialCache<Operator>(maxRemembered)
  const pending = new Map<
    string,
    { readonly outcome: Promise<AttemptOutcome<Operator>>; readonly calls: CallCredentials[] }
  >()
  const verifying = openBoundedWork({ concurrency, maxWaiting, full: 'Too many passwords are waiting to be verified.' })
  const throttle = openLoginThrottle({ isWrong, ...(maxDelay !== undefined && { maxDelay }) })
  const delayed = openPerMinute((counts) => {
    const count = counts.get('') ?? 0
    const message =
      count === 1
        ? 'The answer to a wrong password was delayed, because there were many before.'
        : `The answers to ${count} wrong passwords were delayed in the last minute, because there were many before.`
    observe({ kind: 'event', level: 'warning', name: 'passwordsGuessed', message, detail: { count } })
  })
  const unknownHash = await (hashOfNone ??= hashPassword(randomBytes(32).toString('hex')))

  const verify = async (attempt: PasswordAttempt, operators: Operators): Promise<Operator> => {
    const { id, password, client } = attempt
    const operator = operators.get(id)
    const passwordHash = operator && hasPassword(operator) ? (operator.passwordHash ?? unknownHash) : unknownHash
    const check = () => verifyOperatorPassword(passwordHash, password)
    const isRight = await verifying(check, client).catch(asRejected)
    if (operators.get(id) !== operator) return verify(attempt, operators) // the operator changed meanwhile: verify again
    if (!operator) throw rejected(`no such operator${findCapitals(id, operators)}`)
    if (operator.passwordHash === firstLoginMark && isAsked(operator, password))
      return verifyFirst(attempt, operator, operators)
    if (!operator.passwordHash || !hasPassword(operator)) throw rejected(withClaimed('operator has no password', id))
    if (!isRight) throw rejected(withClaimed('wrong password', id))
    requireUnlocked(operator, rejected)
    if (isOldPassword(operator.passwordHash)) renew(operator, password).catch(() => {}) // tried again at the next login
    return operator
  }
  const isAsked = ({ isLocked }: Operator, password: string) =>
    !isLocked && password !== '' && source?.isOpen() === true
  const verifyFirst = async (attempt: PasswordAttempt, operator: Operator, operators: Operators) => {
    const { id, password, client, began } = attempt
    const isRight = await source?.verify({ id, password, client, until: began + sourceTimeout }).catch((error) => {
      if (error instanceof Refusal) throw rejected(withClaimed(error.message.replace(/\.$/, ''), id))
      throw error
    })
    if (operators.get(id) !== operator) return verify(attempt, operators)
    if (!isRight) throw rejected(withClaimed(`${source?.server} refused the password`, id))
    renew(operator, password).catch(() => {}) // the server is asked again at the next login
    return operator
  }
  const renew = async ({ id, passwordHash }: Operator, password: string) => {
    const renewed = await verifying(() => hashPassword(password))
    await replacePasswordHash?.(id, passwordHash, renewed)
  }
  const verifyThrottled = async (header: string, client: WaitingClient, operators: Operators) => {
    const { address } = client
    const { id, password } = readCredentials(header)
    const began = performance.now()
    const stated = { id: resolveId(id, operators), password, client, began }
    const outcome = await throttle.attempt({ address, name: stated.id }, () => verify(stated, operators))
    if ('result' in outcome) return outcome
    if (outcome.until > performance.now()) delayed.count()
    const isTimed = source?.isOpen() === true && isWrong(outcome.error)
    return isTimed ? { ...outcome, until: Math.max(outcome.until, began + refusedAfter) } : outcome
  }
  /** Concurrent calls with the same credentials share a verification: after an activation they would fill the queue. */
  const verifyOnce = (shared: string, header: string, call: CallCredentials, operators: Operators) => {
    const known = pending.get(shared)
    if (known) {
      known.calls.push(call)
      return known.outcome
    }
    const calls = [call]
    const client = { address: call.remoteAddress, hasLeft: () => calls.every(({ signal }) => signal.aborted) }
    const outcome = verifyThrottled(header, client, operators).finally(() => pending.delete(shared))
    pending.set(shared, { outcome, calls })
    return outcome
  }

  return {
    async verify(call, _operation, catalog, operators) {
      const header = String(call.headers.authorization ?? '')
      if (modeOfScheme(header) !== 'Basic') throw rejected('no Basic credentials')
      const key = remembered.keyOf(header)
      const known = remembered.find(key, catalog)
      // A changed operator is a new object: a lock, a password or a grant takes effect with the next call.
      if (known && operators.get(known.id) === known) return known

      const outcome = await verifyOnce(`${networkOf(call.remoteAddress)} ${key}`, header, call, operators)
      if ('result' in outcome) remembered.remember(key, catalog, outcome.result)
      return throttle.answerAfterDelay(outcome, call.signal)
    },
    rejected,
    endDelays() {
      delayed.close()
      throttle.endDelays()
    },
  }
}

function isWrong(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'basicRejected'
}

/** The usual mistake, for the log: ids are case-sensitive. */
function findCapitals(id: string, operators: Operators): string {
  const capitals = id.toUpperCase()
  return capitals !== id && operators.has(capitals) ? `; ${capitals} exists, and ids are case-sensitive` : ''
}

interface PasswordAttempt {
  readonly id: string
  readonly password: string
  readonly client: WaitingClient
  /** Time by `performance.now()`. */
  readonly began: number
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function readCredentials(header: string): Pick<PasswordAttempt, 'id' | 'password'> {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1]
  if (!encoded) throw rejected('malformed Basic credentials')
  const bytes = Buffer.from(encoded, 'base64')
  const canonical = bytes.toString('base64')
  if (encoded !== canonical && encoded !== canonical.replace(/=+$/, '')) throw rejected('malformed base64')
  const text = decode(bytes)
  const colon = text.indexOf(':')
  if (colon < 1) throw rejected('no operator id in the Basic credentials')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 7617 forbids exactly these
  if (/[\u0000-\u001f\u007f]/.test(text)) throw rejected('control characters in the Basic credentials')
  return { id: text.slice(0, colon), password: text.slice(colon + 1) }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw rejected('the Basic credentials are not UTF-8')
  }
}

function rejected(reason: string): Refusal {
  return new Refusal('basicRejected', `Basic authentication failed: ${reason}.`)
}

/** A stored hash that cannot be read refuses its own operator, and no one else. */
function asRejected(error: unknown): never {
  if (error instanceof Refusal) throw error
  throw new Refusal('basicRejected', 'Basic authentication failed: the stored password hash cannot be read.', {
    cause: error,
  })
}
