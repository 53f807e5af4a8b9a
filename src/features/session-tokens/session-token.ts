/** Session tokens (specification 27): the keys that sign them, and what is revoked of them. */
import { createHash } from 'node:crypto'

/** A key pair (Ed25519) of this gateway. Times are epoch milliseconds of the database. */
export interface SessionKey {
  /** Derived from the public key. */
  readonly id: string
  /** The public key as `x` of a JSON Web Key. */
  readonly publicKey: string
  /** The private key as `d` of a JSON Web Key, sealed with `ig.secretKey`. */
  readonly privateKey: string
  readonly created: number
  /** It signs from then on, until a later key does. */
  readonly signs: number
  /** It verifies until then; null while no later key exists. */
  readonly ends: number | null
}

/** Raised when the tokens of an operator are revoked: tokens of an earlier generation are refused. */
export interface SessionGeneration {
  readonly operatorId: string
  readonly generation: number
  /** Tokens of other nodes that were issued before are refused. */
  readonly time: number
}

export interface RevokedToken {
  readonly id: string
  /** Nothing is revoked of it any more after that. */
  readonly expires: number
}

export interface SessionTokenState {
  /** All of them. */
  readonly keys: readonly SessionKey[]
  /** Added or raised. */
  readonly generations: readonly SessionGeneration[]
  /** Added. */
  readonly revoked: readonly RevokedToken[]
}

/** The public part of a key as a JSON Web Key. */
export function publicJwk(publicKey: string) {
  return { crv: 'Ed25519', kty: 'OKP', x: publicKey } as const
}

/** The beginning of its thumbprint (RFC 7638): nothing but the public key decides it. */
export function sessionKeyId(publicKey: string): string {
  return createHash('sha256')
    .update(JSON.stringify(publicJwk(publicKey)))
    .digest('base64url')
    .slice(0, 16)
}

/** The id in a token, which is not verified; or the text itself, if it is an id. */
export function readTokenId(text: string): string | undefined {
  if (/^[\w-]{16}$/.test(text)) return text
  const [, claims = ''] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(text) ?? []
  try {
    const { jti } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { readonly jti?: unknown }
    return typeof jti === 'string' && /^[\x21-\x7e]{1,100}$/.test(jti) ? jti : undefined
  } catch {
    return undefined
  }
}

/** 32 bytes in base64url, in the one way to write them. */
export function isPublicKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.length === 32 && bytes.toString('base64url') === text
}
