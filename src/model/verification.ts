/**
 * How callers of an operation are verified (specification 3.5 to 3.10, 27.1): one row a mode, with all that other folders ask
 * of it. Its credentials are checked in `src/verification/`, one file a mode, or by the feature that adds it.
 */
import { verificationsOfFeatures } from '../verifications.ts'
import type { ModeRow, TlsRow } from './mode-row.ts'

const verifications = {
  NONE: {
    meaning: "no credentials: calls run as the ANONYMOUS node's default user",
    words: 'no credentials',
    strength: 0,
    allowsAnonymous: true,
    securitySchemes: () => ({}),
    curl: () => '',
  },
  Basic: {
    meaning: 'operator and password (Basic Authentication)',
    words: 'Basic credentials',
    strength: 1,
    checksOptionalCredentials: true,
    refusal: 'basicRejected',
    header: 'authorization',
    scheme: 'Basic',
    isSentByBrowsers: true,
    isPassword: true,
    declaredAs: ['basic'],
    securitySchemes: () => ({
      basic: { type: 'http', scheme: 'basic', description: 'Operator id and password, in UTF-8.' },
    }),
    curl: ({ user = 'OPERATOR:PASSWORD' } = {}) => `-u ${user}`,
  },
  OAuth2: {
    meaning: 'access token of an identity provider',
    words: 'Bearer credentials',
    strength: 3,
    checksOptionalCredentials: true,
    refusal: 'tokenRejected',
    header: 'authorization',
    scheme: 'Bearer',
    issuedBy: 'provider',
    declaredAs: ['oauth2', 'openIdConnect', 'bearer', 'jwt'],
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
  ...verificationsOfFeatures,
  Certificate: {
    meaning: 'client certificate of an operator',
    words: 'a client certificate',
    strength: 4,
    refusal: 'certificateRejected',
    isSentByBrowsers: true,
    declaredAs: ['mutualTLS'],
    securitySchemes: () => ({
      certificate: { type: 'mutualTLS', description: 'A client certificate that an operator has.' },
    }),
    curl: () => '--cert client.pem --key client-key.pem',
  },
} as const satisfies Readonly<Record<string, ModeRow | TlsRow>>

type Rows = typeof verifications
export type Verification = keyof Rows
/** A verification without its TLS-only variant. */
export type Mode = { [Name in Verification]: Rows[Name] extends TlsRow ? never : Name }[Verification]
export type FeatureMode = Extract<Mode, keyof typeof verificationsOfFeatures>
export type KernelMode = Exclude<Mode, FeatureMode>

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
const checkingOptional = modes.filter((mode) => 'checksOptionalCredentials' in verifications[mode]) as [Mode, ...Mode[]]

function readRow(name: Verification): VerificationRow {
  const row = verifications[name]
  if ('overTls' in row)
    return { ...readRow(row.overTls), meaning: `like ${row.overTls}, but only over TLS`, needsTls: true }
  const mode = name as Mode
  return { ...row, mode, needsTls: false, takes: 'allowsAnonymous' in row ? checkingOptional : [mode] }
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

export function modeOfDeclaration(type: unknown): Mode | undefined {
  return modeRows.find(({ declaredAs }) => declaredAs?.includes(String(type)))?.mode
}

const credentialHeaders = new Set(modeRows.map(({ header }) => header?.replaceAll('_', '-')))

/** Programs behind many servers read an underscore as a hyphen. */
export function isCredentialHeader(name: string): boolean {
  return credentialHeaders.has(name.toLowerCase().replaceAll('_', '-'))
}

export function hasCookie(cookies: string, name: string): boolean {
  return cookies.split(';').some((pair) => pair.includes('=') && pair.slice(0, pair.indexOf('=')).trim() === name)
}
