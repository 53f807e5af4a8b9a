/**
 * Whether this is a current token of the provider for this gateway: signature, issuer, times, audience, scope, kind
 * (specification 3.11, 3.12).
 */
import {
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'
import { quoteClaim, withClaimed } from '../../model/claimed-name.ts'
import { isCanonical } from '../is-canonical.ts'
import type { KeySet } from './key-set.ts'
import type { CompleteServiceApp } from './service-app.ts'
import { findOtherKind, type TokenSettings } from './token-kind.ts'

export interface AccessToken {
  readonly sub: unknown
  readonly email: unknown
  /** Epoch milliseconds at which it expires, skew included. */
  readonly expires: number
}

/** Seconds. */
const skew = 30
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** @throws Error with a message for the log */
export async function verifyAccessToken(
  token: string,
  app: CompleteServiceApp,
  keySet: KeySet,
  settings: TokenSettings,
  now: number,
): Promise<AccessToken> {
  if (!isCanonical(token)) throw new Error('the signature is not canonical base64url')
  const find: JWTVerifyGetKey = (header, jws) => {
    // A token of another provider must not trigger a fetch of keys for its unknown kid.
    if (!keySet.knows(header.kid)) {
      const { iss } = decodeJwt(token)
      if (iss !== app.issuer) throw otherClaim('iss', iss, app.issuer)
    }
    return keySet.find(header, jws)
  }
  const { payload, protectedHeader } = await verifySignature(token, find, {
    algorithms,
    issuer: app.issuer,
    clockTolerance: skew,
    currentDate: new Date(now),
    ...(app.audience && { audience: [...app.audience] }),
  }).catch((error) => {
    if (!(error instanceof errors.JWTClaimValidationFailed)) throw error
    const expected = { iss: app.issuer, aud: app.audience }[error.claim]
    throw expected === undefined ? error : otherClaim(error.claim, error.payload[error.claim], expected)
  })
  const { sub, email, exp, iat } = payload
  const otherKind = findOtherKind({ payload, protectedHeader }, settings)
  if (otherKind !== undefined) throw new Error(otherKind)
  if (exp === undefined || !Number.isFinite(exp)) throw new Error('exp is missing or not a time')
  if (iat !== undefined && iat > now / 1000 + skew) throw new Error('iat is in the future')
  const missing = app.scopes?.find((scope) => !scopesOf(payload).has(scope))
  if (missing !== undefined) throw new Error(`the scope ${missing} is missing`)
  return { sub, email, expires: (exp + skew) * 1000 }
}

/** The expected value is the site's, the other one the caller's. */
function otherClaim(claim: string, value: unknown, expected: unknown): Error {
  return new Error(withClaimed(`${claim} is not the registered ${quoteClaim(expected)}`, quoteClaim(value)))
}

/** Without a kid, or with one that the key set has twice, every matching key is tried. */
async function verifySignature(
  token: string,
  find: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, find, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options)
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** `scope` is a space-separated string by RFC 8693, `scp` by convention an array or such a string. */
function scopesOf({ scp, scope }: JWTPayload): ReadonlySet<unknown> {
  const listed = [scp, scope].map((claim) => (typeof claim === 'string' ? claim.split(' ') : claim))
  return new Set(listed.filter(Array.isArray).flat())
}
