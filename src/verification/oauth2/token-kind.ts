/** Whether a JWT declares itself to be another kind than an access token (specification 3.19, 3.20). */
import type { JWTPayload, JWTVerifyResult } from 'jose'
import type { Settings } from '../../settings.ts'

type VerifiedJwt = Pick<JWTVerifyResult, 'payload' | 'protectedHeader'>
export type TokenSettings = Pick<Settings, 'tokenKind' | 'userMapping'>

/** @returns the reason for the log; undefined if it may be an access token */
export function findOtherKind(token: VerifiedJwt, { tokenKind, userMapping }: TokenSettings): string | undefined {
  if (tokenKind === 'any') return undefined
  return signs.find(([, isThere]) => isThere(token, userMapping !== 'sub'))?.[0]
}

/** Tokens declare their kind in one of these ways, by RFC 9068 or by conventions of providers. */
const signs: readonly (readonly [reason: string, isThere: (token: VerifiedJwt, mapsEmail: boolean) => boolean])[] = [
  [
    'typ in the header is not that of an access token',
    ({ protectedHeader: { typ } }) => typ !== undefined && !accessTypes.has(lowerCase(typ)),
  ],
  ['typ is that of another kind of token', ({ payload: { typ } }) => otherTypes.has(lowerCase(typ))],
  ['token_use is not access', ({ payload }) => has(payload, 'token_use') && payload.token_use !== 'access'],
  ['at_hash is a claim of an ID token', ({ payload }) => has(payload, 'at_hash')],
  ['c_hash is a claim of an ID token', ({ payload }) => has(payload, 'c_hash')],
  [
    'email_verified is false',
    ({ payload: { email_verified } }, mapsEmail) => mapsEmail && lowerCase(email_verified) === 'false',
  ],
]

/** Media types are case-insensitive (RFC 7515, 4.1.9). */
const accessTypes: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/at+jwt'])
const otherTypes: ReadonlySet<string> = new Set(['id', 'refresh', 'offline', 'logout'])

function lowerCase(value: unknown): string {
  return String(value).toLowerCase()
}

function has(payload: JWTPayload, claim: string): boolean {
  return payload[claim] !== undefined
}
