/**
 * How callers of an operation are verified (specification 3.5 to 3.10, 27.1): one row a mode, with all that other rooms ask
 * of it. Its credentials are checked in `src/verification/`, one file a mode.
 */
import type { RefusalCode } from './refusal.ts'

export interface ModeRow {
  /** What callers send, for a person who chooses the mode. */
  readonly meaning: string
  /** The credentials, in a sentence. */
  readonly words: string
  /** Of several modes that an import finds, the operation gets the one with the highest. */
  readonly strength: number
  /** Calls without credentials run as the default user. */
  readonly isOptional?: true
  /** Checks credentials also where they are optional. */
  readonly isVoluntary?: true
  /** Of calls without valid credentials. */
  readonly refusal?: RefusalCode
  /** The request header that carries the credentials; without one, the connection does. */
  readonly header?: string
  /** In that header, before the credentials. */
  readonly scheme?: string
  /** Carries them instead of the header. */
  readonly cookie?: string
  /** Browsers add the credentials to the calls of every page. */
  readonly isSentByBrowsers?: true
  /** Operator id and password. */
  readonly isPassword?: true
  /** Who issues tokens: the provider of `ig.AuthorizationServer`, or this gateway, with `ig.secretKey`. */
  readonly issuedBy?: 'provider' | 'gateway'
  /** The environment variable from which `ig healthcheck` reads them. */
  readonly variable?: string
  /** Of an OpenAPI document, by name. @param issuer of access tokens, if it is known */
  securitySchemes(issuer: string | undefined): Readonly<Record<string, object>>
  /** Arguments of `curl`, with placeholders for what is not given. */
  curl(given?: CurlSecrets): string
}

export interface CurlSecrets {
  /** Operator id and password, quoted for a shell. */
  readonly user?: string | undefined
  readonly token?: string | undefined
}

/** The same as another mode, over TLS only. */
interface TlsRow {
  readonly overTls: string
}

const sessionToken = (place: 'header' | 'cookie') => ({
  type: 'apiKey',
  in: place,
  name: 'PS_TOKEN',
  description: 'A session token of this gateway. After a 401, sign in again.',
})

const verifications = {
  NONE: {
    meaning: "no credentials: calls run as the ANONYMOUS node's default user",
    words: 'no credentials',
    strength: 0,
    isOptional: true,
    securitySchemes: () => ({}),
    curl: () => '',
  },
  Basic: {
    meaning: 'operator and password (Basic Authentication)',
    words: 'Basic credentials',
    strength: 1,
    isVoluntary: true,
    refusal: 'basicRejected',
    header: 'authorization',
    scheme: 'Basic',
    isSentByBrowsers: true,
    isPassword: true,
    securitySchemes: () => ({
      basic: { type: 'http', scheme: 'basic', description: 'Operator id and password, in UTF-8.' },
    }),
    curl: ({ user = 'OPERATOR:PASSWORD' } = {}) => `-u ${user}`,
  },
  OAuth2: {
    meaning: 'access token of an identity provider',
    words: 'Bearer credentials',
    strength: 3,
    isVoluntary: true,
    refusal: 'tokenRejected',
    header: 'authorization',
    scheme: 'Bearer',
    issuedBy: 'provider',
    variable: 'IG_HEALTHCHECK_TOKEN',
    securitySchemes: (issuer) => ({
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: `An access token${issuer === undefined ? '' : ` of ${issuer}`} that names an operator.`,
      },
    }),
    curl: ({ token = '$TOKEN' } = {}) => `-H "Authorization: Bearer ${token}"`,
  },
  SSL: { overTls: 'NONE' },
  BasicSSL: { overTls: 'Basic' },
  OAuth2SSL: { overTls: 'OAuth2' },
  Token: {
    meaning: 'session token (PS_TOKEN)',
    words: 'a session token',
    strength: 2,
    refusal: 'sessionTokenRejected',
    header: 'ps_token',
    cookie: 'PS_TOKEN',
    isSentByBrowsers: true,
    issuedBy: 'gateway',
    variable: 'IG_HEALTHCHECK_SESSION_TOKEN',
    securitySchemes: () => ({ sessionToken: sessionToken('header'), sessionTokenCookie: sessionToken('cookie') }),
    curl: ({ token = '$TOKEN' } = {}) => `-H "PS_TOKEN: ${token}"`,
  },
  TokenSSL: { overTls: 'Token' },
  Certificate: {
    meaning: 'client certificate of an operator',
    words: 'a client certificate',
    strength: 4,
    refusal: 'certificateRejected',
    isSentByBrowsers: true,
    securitySchemes: () => ({
      certificate: { type: 'mutualTLS', description: 'A client certificate that an operator has.' },
    }),
    curl: () => '--cert client.pem --key client-key.pem',
  },
} as const satisfies Readonly<Record<string, ModeRow | TlsRow>>

type Rows = typeof verifications
export type Verification = keyof Rows
/** Of those that differ in TLS only, the one without. */
export type Mode = { [Name in Verification]: Rows[Name] extends TlsRow ? never : Name }[Verification]

export const verificationNames = Object.keys(verifications) as [Verification, ...Verification[]]

/** A verification of the configuration: the row of its mode, and what follows from it. */
export interface VerificationRow extends ModeRow {
  readonly mode: Mode
  readonly needsTls: boolean
  /** The modes that check credentials; the first is the usual one. */
  readonly takes: readonly [Mode, ...Mode[]]
}

const isMode = (name: Verification): name is Mode => !('overTls' in verifications[name])
const modes = verificationNames.filter(isMode)
const voluntary = modes.filter((mode) => 'isVoluntary' in verifications[mode]) as [Mode, ...Mode[]]

function readRow(name: Verification): VerificationRow {
  const row = verifications[name]
  if ('overTls' in row)
    return { ...readRow(row.overTls), meaning: `like ${row.overTls}, but only over TLS`, needsTls: true }
  const mode = name as Mode
  return { ...row, mode, needsTls: false, takes: 'isOptional' in row ? voluntary : [mode] }
}

const rows = new Map<string, VerificationRow>(verificationNames.map((name) => [name, readRow(name)]))
const none = readRow('NONE')

/** Without a name, and for an unknown one of an unchecked configuration, that of NONE. */
export function verificationOf(name: string | null | undefined): VerificationRow {
  return rows.get(name ?? '') ?? none
}

/** One for each mode. */
export const modeRows: readonly VerificationRow[] = modes.map(readRow)

const modesByScheme = new Map(modeRows.map(({ scheme, header, mode }) => [(scheme ?? header)?.toLowerCase(), mode]))

/** Malformed Basic credentials are Basic credentials. @param text a scheme, or a header that begins with one */
export function modeOfScheme(text: string): Mode | undefined {
  const space = text.indexOf(' ')
  return modesByScheme.get((space < 0 ? text : text.slice(0, space)).toLowerCase())
}

/** The mode that has a header of its own. */
export function modeOfHeader(name: string): Mode | undefined {
  return modeRows.find(({ scheme, header }) => scheme === undefined && header === name.toLowerCase())?.mode
}

const credentialHeaders = new Set(modeRows.map(({ header }) => header?.replaceAll('_', '-')))

/** Programs behind many servers read an underscore as a hyphen. */
export function isCredentialHeader(name: string): boolean {
  return credentialHeaders.has(name.toLowerCase().replaceAll('_', '-'))
}

export function hasCookie(cookies: string, name: string): boolean {
  return cookies.split(';').some((pair) => pair.includes('=') && pair.slice(0, pair.indexOf('=')).trim() === name)
}
