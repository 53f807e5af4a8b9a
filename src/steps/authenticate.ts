/**
 * Authenticates the caller by the operation's verification and the request's credentials (specification 3.5 to 3.10, 27.1).
 */
import type { Call } from '../model/call.ts'
import type { Catalog } from '../model/catalog.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import { Refusal } from '../model/refusal.ts'
import { type CredentialKind, type CredentialRow, credentialRows, verificationOf } from '../model/verification.ts'
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
  if (!isSecure && verificationOf(verification).needsTls)
    throw new Refusal('tlsRequired', `${id} is served over TLS only.`)
}

/** Returns at once, without a promise, for credentials that were verified before. */
export function authenticate(
  call: Caller,
  operation: Verified,
  catalog: Catalog,
  known: Known,
): Operator | Promise<Operator> {
  const { kinds, isOptional } = verificationOf(operation.verification)
  const header = call.headers.authorization as string | undefined
  const scheme = schemeOf(header)
  const kind = kinds.find((each) => schemeOfKind(each) === undefined || schemeOfKind(each) === scheme)
  if (kind !== undefined) return verifiers[kind](header ?? '', operation, catalog, known, call)
  if (isOptional && scheme === undefined) return findDefaultUser(catalog, known)
  // A caller with credentials of another scheme has an identity: running as the default user would silently ignore it
  throw kinds[0] === 'bearer'
    ? tokenRejected(operation, 'no bearer token')
    : new Refusal('basicRejected', 'Basic authentication failed: no Basic credentials.')
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

type Verifier = (
  header: string,
  operation: Verified,
  catalog: Catalog,
  known: Known,
  call: Caller,
) => Operator | Promise<Operator>

const verifiers: Readonly<Record<CredentialKind, Verifier>> = {
  basic: (header, _operation, catalog, { credentials, operators }, call) =>
    credentials.basic.verify(header, call, catalog, operators),
  bearer: (header, operation, catalog, { credentials, operators }) =>
    credentials.bearer.verify(header, operation, catalog, operators),
  sessionToken: (_header, _operation, catalog, { credentials, operators }, call) =>
    credentials.sessionTokens.verify(call.headers, catalog, operators),
  certificate: (_header, _operation, _catalog, { credentials, operators }, call) =>
    credentials.certificates.verify(call, operators),
}

function findDefaultUser({ anonymousOperatorId }: Catalog, { operators }: Known): Operator {
  const operator = anonymousOperatorId === undefined ? undefined : operators.get(anonymousOperatorId)
  if (operator && !operator.isLocked) return operator
  throw new Refusal('permissionDenied', 'UserName not defined in database. (158,55)')
}

function schemeOfKind(kind: CredentialKind): string | undefined {
  const row: CredentialRow = credentialRows[kind]
  return row.scheme
}

/** By the scheme alone: malformed Basic credentials are Basic credentials. An empty header counts as none. */
function schemeOf(header: string | undefined): string | undefined {
  if (!header) return undefined
  const space = header.indexOf(' ')
  return (space < 0 ? header : header.slice(0, space)).toLowerCase()
}
