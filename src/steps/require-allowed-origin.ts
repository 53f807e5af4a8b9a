/**
 * Where a call may come from, its origin: over TLS, from the allowed networks of the operation, and not from a page of
 * another site (specification 3.10, 28.9, 28.12).
 */
import { showLine } from '../base/escape.ts'
import { isOriginOf } from '../base/host.ts'
import type { Call } from '../model/call.ts'
import { type CorsSettings, isAllowedOrigin, isShared } from '../model/cross-origin.ts'
import type { Operation } from '../model/operation.ts'
import { Refusal } from '../model/refusal.ts'
import { hasCookie, modeOfScheme, modeRows, type VerificationRow, verificationOf } from '../model/verification.ts'

interface Parts {
  readonly settings: CorsSettings
}

/** @throws Refusal tlsRequired, addressDenied, originRefused */
export function requireAllowedOrigin(
  call: Pick<Call, 'headers' | 'isSecure' | 'remoteAddress'>,
  operation: Pick<Operation, 'id' | 'alias' | 'version' | 'verification' | 'allowedAddresses' | 'allowsOptions'>,
  gateway: Parts,
): void {
  requireTls(call, operation)
  const { allowedAddresses } = operation
  if (allowedAddresses && !allowedAddresses.includes(call.remoteAddress))
    throw new Refusal('addressDenied', `${call.remoteAddress} is not among the allowedAddresses of ${operation.id}.`)
  const site = findOtherSite(call.headers)
  if (site === undefined) return
  const { origin } = call.headers
  if (isShared(operation, gateway.settings) && isAllowedOrigin(origin?.toString(), gateway.settings)) return
  refuseBrowserCredentials(call, operation, site)
}

export function requireTls(
  { isSecure }: Pick<Call, 'isSecure'>,
  operation: Pick<Operation, 'id' | 'verification'>,
): void {
  if (!isSecure && verificationOf(operation.verification).needsTls)
    throw new Refusal('tlsRequired', `${operation.id} is served over TLS only.`)
}

/** Over plain HTTP browsers send no `Sec-Fetch-Site`. @returns what shows that a page of another site calls, if one does */
function findOtherSite({ 'sec-fetch-site': site, origin, host }: Call['headers']): string | undefined {
  if (site !== undefined) return site === 'cross-site' ? 'Sec-Fetch-Site: cross-site' : undefined
  if (origin === undefined || isOriginOf(String(origin), host?.toString())) return undefined
  return `Origin: ${showLine(String(origin), 100)}`
}

/** Headers that a browser adds automatically do not show that its user wants the call. */
function refuseBrowserCredentials(
  { headers }: Pick<Call, 'headers'>,
  { verification }: Pick<Operation, 'verification'>,
  site: string,
): void {
  const isThere = ({ mode, scheme, cookie }: VerificationRow) => {
    if (scheme) return modeOfScheme(String(headers.authorization)) === mode
    return cookie ? hasCookie(String(headers.cookie), cookie) : verificationOf(verification).mode === mode
  }
  const sent = modeRows.find((row) => row.isSentByBrowsers && isThere(row))
  if (sent)
    throw new Refusal('originRefused', `A page of another site made a browser call with ${sent.words} (${site}).`)
}
