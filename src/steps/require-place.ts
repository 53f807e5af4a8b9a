/**
 * Where a call may come from: over TLS, from the allowed networks of an operation, and not from a page of another site
 * (specification 3.10, 28.9, 28.12).
 */
import type { Call } from '../model/call.ts'
import type { Operation } from '../model/operation.ts'
import { Refusal } from '../model/refusal.ts'
import type { Settings } from '../settings.ts'
import { requireTls } from './authenticate.ts'

interface Parts {
  readonly settings: Pick<Settings, 'optionsEnabled'>
}

/** @throws Refusal tlsRequired, addressDenied, originRefused */
export function requirePlace(
  call: Pick<Call, 'headers' | 'isSecure' | 'remoteAddress'>,
  operation: Pick<Operation, 'id' | 'alias' | 'version' | 'verification' | 'allowed' | 'allowsOptions'>,
  gateway: Parts,
): void {
  requireTls(call, operation)
  const { allowed, allowsOptions } = operation
  if (allowed && !allowed.includes(call.remoteAddress))
    throw new Refusal('addressDenied', `${call.remoteAddress} is not among the allowedAddresses of ${operation.id}.`)
  if (call.headers['sec-fetch-site'] !== 'cross-site' || allowsOptions || gateway.settings.optionsEnabled) return
  requireOwnCredentials(call, operation)
}

/** Headers that a browser adds automatically do not show that its user wants the call. */
function requireOwnCredentials(
  { headers }: Pick<Call, 'headers'>,
  { verification }: Pick<Operation, 'verification'>,
): void {
  const { authorization, cookie } = headers
  const kinds = {
    Basic: isBasic.test(String(authorization)),
    PS_TOKEN: hasToken.test(String(cookie)),
    certificate: verification === 'Certificate',
  }
  const [kind] = Object.entries(kinds).find(([, isThere]) => isThere) ?? []
  if (kind === undefined) return
  const reason = `A page of another site made a browser call with its ${kind} credentials (Sec-Fetch-Site: cross-site).`
  throw new Refusal('originRefused', reason)
}

const isBasic = /^basic(?: |$)/i
const hasToken = /(?:^|;)[ \t]*PS_TOKEN[ \t]*=/
