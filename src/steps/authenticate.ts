/**
 * Authenticates the caller by the operation's verification and the request's credentials (specification 3.5 to 3.10, 27.1).
 */
import type { Call } from '../model/call.ts'
import type { Catalog } from '../model/catalog.ts'
import type { Operation } from '../model/operation.ts'
import type { Verification } from '../model/operation-terms.ts'
import type { Operator } from '../model/operator.ts'
import { Refusal } from '../model/refusal.ts'
import { type BasicOptions, type BasicVerifier, openBasicVerifier } from './credentials/basic.ts'
import { type BearerOptions, type BearerVerifier, openBearerVerifier, tokenRejected } from './credentials/bearer.ts'
import { type CertificateVerifier, openCertificateVerifier } from './credentials/certificate.ts'
import { openSessionTokens, type SessionTokenOptions, type SessionTokens } from './credentials/session-token.ts'

export interface Credentials {
  readonly basic: BasicVerifier
  readonly bearer: BearerVerifier
  readonly sessionTokens: SessionTokens
  readonly certificates: CertificateVerifier
}

export interface Known {
  readonly operators: ReadonlyMap<string, Operator>
  readonly credentials: Credentials
}

type Caller = Pick<Call, 'headers' | 'readCertificate' | 'isSecure' | 'remoteAddress' | 'signal'>

/** The parts of an operation that authentication needs. */
type Verified = Pick<Operation, 'id' | 'alias' | 'version' | 'verification'>

/** @throws Refusal tlsRequired */
export function requireTls({ isSecure }: Pick<Call, 'isSecure'>, { id, verification }: Verified): void {
  if (!isSecure && verifications[verification].needsTls)
    throw new Refusal('tlsRequired', `${id} is served over TLS only.`)
}

/** Returns at once, without a promise, for credentials that were verified before. */
export function authenticate(
  call: Caller,
  operation: Verified,
  catalog: Catalog,
  known: Known,
): Operator | Promise<Operator> {
  const { authenticators } = verifications[operation.verification]
  const header = call.headers.authorization as string | undefined
  return authenticators[schemeOf(header)](header ?? '', operation, catalog, known, call)
}

export interface CredentialOptions extends BearerOptions, SessionTokenOptions {
  readonly settings: BearerOptions['settings'] & SessionTokenOptions['settings']
  readonly basic: BasicOptions
}

export async function openCredentials(options: CredentialOptions): Promise<Credentials> {
  return {
    basic: await openBasicVerifier(options.basic),
    bearer: openBearerVerifier(options),
    sessionTokens: openSessionTokens(options),
    certificates: openCertificateVerifier(options.now),
  }
}

type Scheme = 'none' | 'basic' | 'bearer' | 'other'
type Authenticator = (
  header: string,
  operation: Verified,
  catalog: Catalog,
  known: Known,
  call: Caller,
) => Operator | Promise<Operator>

const anonymous: Authenticator = (_header, _operation, { anonymousOperatorId }, { operators }) => {
  const operator = anonymousOperatorId === undefined ? undefined : operators.get(anonymousOperatorId)
  if (operator && !operator.isLocked) return operator
  throw new Refusal('permissionDenied', 'UserName not defined in database. (158,55)')
}
const basic: Authenticator = (header, _operation, catalog, { credentials, operators }, call) =>
  credentials.basic.verify(header, call, catalog, operators)
const bearer: Authenticator = (header, operation, catalog, { credentials, operators }) =>
  credentials.bearer.verify(header, operation, catalog, operators)
const sessionToken: Authenticator = (_header, _operation, catalog, { credentials, operators }, call) =>
  credentials.sessionTokens.verify(call.headers, catalog, operators)
const certificate: Authenticator = (_header, _operation, _catalog, { credentials, operators }, call) =>
  credentials.certificates.verify(call, operators)
const notBasic: Authenticator = () => {
  throw new Refusal('basicRejected', 'Basic authentication failed: no Basic credentials.')
}
const notBearer: Authenticator = (_header, operation) => {
  throw tokenRejected(operation, 'no bearer token')
}

type Authenticators = Readonly<Record<Scheme, Authenticator>>
const forAll = (all: Authenticator): Authenticators => ({ none: all, basic: all, bearer: all, other: all })
// A caller with credentials of another scheme has an identity: running as the default user would silently ignore it.
const optional: Authenticators = { none: anonymous, basic, bearer, other: notBasic }
const basicOnly: Authenticators = { ...forAll(notBasic), basic }
const bearerOnly: Authenticators = { ...forAll(notBearer), bearer }
const sessionTokenOnly = forAll(sessionToken)
const certificateOnly = forAll(certificate)

interface VerificationRow {
  readonly needsTls: boolean
  readonly authenticators: Authenticators
}

const verifications: Readonly<Record<Verification, VerificationRow>> = {
  NONE: { needsTls: false, authenticators: optional },
  SSL: { needsTls: true, authenticators: optional },
  Basic: { needsTls: false, authenticators: basicOnly },
  BasicSSL: { needsTls: true, authenticators: basicOnly },
  OAuth2: { needsTls: false, authenticators: bearerOnly },
  OAuth2SSL: { needsTls: true, authenticators: bearerOnly },
  Token: { needsTls: false, authenticators: sessionTokenOnly },
  TokenSSL: { needsTls: true, authenticators: sessionTokenOnly },
  Certificate: { needsTls: false, authenticators: certificateOnly },
}

/** By the scheme alone: malformed Basic credentials are Basic credentials. An empty header counts as none. */
function schemeOf(header: string | undefined): Scheme {
  if (!header) return 'none'
  const space = header.indexOf(' ')
  const scheme = (space < 0 ? header : header.slice(0, space)).toLowerCase()
  return scheme === 'basic' || scheme === 'bearer' ? scheme : 'other'
}
