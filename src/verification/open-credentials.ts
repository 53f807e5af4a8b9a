/** The verifiers of all modes: a mode is a row of `model/verification.ts`, and its file here. */
import type { Mode } from '../model/verification.ts'
import { type BasicOptions, openBasicVerifier } from './basic.ts'
import { openCertificateVerifier } from './certificate.ts'
import { none } from './none.ts'
import { type BearerOptions, openBearerVerifier } from './oauth2.ts'
import { openSessionTokens, type SessionTokenOptions } from './token.ts'
import type { Verifier } from './verifier.ts'

export interface CredentialOptions extends BearerOptions, SessionTokenOptions {
  readonly settings: BearerOptions['settings'] & SessionTokenOptions['settings']
  readonly basic: BasicOptions
}

export type Credentials = Awaited<ReturnType<typeof openCredentials>>

export async function openCredentials(options: CredentialOptions) {
  return {
    NONE: none,
    Basic: await openBasicVerifier(options.basic),
    OAuth2: openBearerVerifier(options),
    Token: openSessionTokens(options),
    Certificate: openCertificateVerifier(options.now),
  } satisfies Readonly<Record<Mode, Verifier>>
}
