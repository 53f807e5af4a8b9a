/**
 * How callers of an operation are verified (specification 3.5 to 3.10, 27.1): one row a mode, one a kind of credentials, with all
 * that other rooms ask of it. How credentials are checked is in `steps/credentials`, one file a kind.
 */

export interface CredentialRow {
  /** The mode that takes only these. */
  readonly mode: string
  readonly words: string
  /** The request header that carries them; undefined: the connection. */
  readonly header: 'authorization' | 'ps_token' | undefined
  /** Of the header `Authorization`. */
  readonly scheme?: 'basic' | 'bearer'
  /** Of an OpenAPI document, by name. @param issuer of access tokens, if it is known */
  securitySchemes(issuer: string | undefined): Readonly<Record<string, object>>
  /** Arguments of `curl` with placeholders. */
  readonly curl: string
  /** How `ig healthcheck` gets them; undefined: it cannot. */
  readonly healthcheck?: string
}

const sessionToken = (place: 'header' | 'cookie') => ({
  type: 'apiKey',
  in: place,
  name: 'PS_TOKEN',
  description: 'A session token of this gateway. After a 401, sign in again.',
})

export const credentialRows = {
  basic: {
    mode: 'Basic',
    words: 'Basic credentials',
    header: 'authorization',
    scheme: 'basic',
    securitySchemes: () => ({
      basic: { type: 'http', scheme: 'basic', description: 'Operator id and password, in UTF-8.' },
    }),
    curl: '-u OPERATOR:PASSWORD',
    healthcheck: 'give --as <operator>',
  },
  certificate: {
    mode: 'Certificate',
    words: 'a client certificate',
    header: undefined,
    securitySchemes: () => ({
      certificate: { type: 'mutualTLS', description: 'A client certificate that an operator has.' },
    }),
    curl: '--cert client.pem --key client-key.pem',
  },
  sessionToken: {
    mode: 'Token',
    words: 'a session token',
    header: 'ps_token',
    securitySchemes: () => ({ sessionToken: sessionToken('header'), sessionTokenCookie: sessionToken('cookie') }),
    curl: '-H "PS_TOKEN: $TOKEN"',
    healthcheck: 'set IG_HEALTHCHECK_SESSION_TOKEN',
  },
  bearer: {
    mode: 'OAuth2',
    words: 'Bearer credentials',
    header: 'authorization',
    scheme: 'bearer',
    securitySchemes: (issuer) => ({
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: `An access token${issuer === undefined ? '' : ` of ${issuer}`} that names an operator.`,
      },
    }),
    curl: '-H "Authorization: Bearer $TOKEN"',
    healthcheck: 'set IG_HEALTHCHECK_TOKEN',
  },
} as const satisfies Readonly<Record<string, CredentialRow>>

export type CredentialKind = keyof typeof credentialRows

export interface VerificationRow {
  /** Of which a call has one; the first is the usual one. */
  readonly kinds: readonly CredentialKind[]
  /** Calls without credentials run as the default user. */
  readonly isOptional?: true
  readonly needsTls?: true
}

export const verifications = {
  NONE: { kinds: ['basic', 'bearer'], isOptional: true },
  Basic: { kinds: ['basic'] },
  OAuth2: { kinds: ['bearer'] },
  SSL: { kinds: ['basic', 'bearer'], isOptional: true, needsTls: true },
  BasicSSL: { kinds: ['basic'], needsTls: true },
  OAuth2SSL: { kinds: ['bearer'], needsTls: true },
  Token: { kinds: ['sessionToken'] },
  TokenSSL: { kinds: ['sessionToken'], needsTls: true },
  Certificate: { kinds: ['certificate'] },
} as const satisfies Readonly<Record<string, VerificationRow>>

export type Verification = keyof typeof verifications
export const verificationNames = Object.keys(verifications) as [Verification, ...Verification[]]

/** The row of a mode; without one, and for an unknown one of an unchecked configuration, that of NONE. */
export function verificationOf(name: Name): VerificationRow {
  return verifications[name as Verification] ?? verifications.NONE
}

type Name = string | null | undefined

/** The credentials that a call must have; undefined: it need have none. */
export function requiredKindOf(name: Name): CredentialKind | undefined {
  const { kinds, isOptional } = verificationOf(name)
  return isOptional ? undefined : kinds[0]
}

export function takesKind(name: Name, kind: CredentialKind): boolean {
  return verificationOf(name).kinds.includes(kind)
}
