/** The verifiers of all modes: a mode is a row of `model/verification.ts`; those of the kernel have a file here. */
import type { KernelMode, Mode } from '../model/verification.ts'
import { type BasicOptions, openBasicVerifier } from './basic.ts'
import { openCertificateVerifier } from './certificate.ts'
import { none } from './none.ts'
import { type BearerOptions, openBearerVerifier } from './oauth2.ts'
import type { Verifier } from './verifier.ts'

export interface CredentialOptions extends BearerOptions {
  readonly basic: BasicOptions
}

export type Credentials = Awaited<ReturnType<typeof openOfKernel>> & Readonly<Record<Mode, Verifier>>

/** @param ofFeatures of all other modes */
export async function openCredentials(
  options: CredentialOptions,
  ofFeatures: Readonly<Record<string, Verifier>>,
): Promise<Credentials> {
  return { ...(await openOfKernel(options)), ...ofFeatures } as Credentials
}

async function openOfKernel(options: CredentialOptions) {
  return {
    NONE: none,
    Basic: await openBasicVerifier(options.basic),
    OAuth2: openBearerVerifier(options),
    Certificate: openCertificateVerifier(options.now),
  } satisfies Readonly<Record<KernelMode, Verifier>>
}
