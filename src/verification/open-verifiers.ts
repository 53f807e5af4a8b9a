/** The verifiers of all modes: a mode is a row of `model/verification.ts`; those of the kernel have a file here. */
import type { FeatureMode, KernelMode, Mode } from '../model/verification.ts'
import { type BasicOptions, openBasicVerifier } from './basic.ts'
import { openCertificateVerifier } from './certificate.ts'
import { none } from './none.ts'
import { type BearerOptions, openBearerVerifier } from './oauth2.ts'
import type { Verifier } from './verifier.ts'

export interface KernelVerifierOptions extends BearerOptions {
  readonly basic: BasicOptions
}

export type Verifiers = Awaited<ReturnType<typeof openOfKernel>> & Readonly<Record<Mode, Verifier>>

export async function openVerifiers(
  options: KernelVerifierOptions,
  ofFeatures: Readonly<Record<FeatureMode, Verifier>>,
): Promise<Verifiers> {
  return { ...(await openOfKernel(options)), ...ofFeatures }
}

async function openOfKernel(options: KernelVerifierOptions) {
  return {
    NONE: none,
    Basic: await openBasicVerifier(options.basic),
    OAuth2: openBearerVerifier(options),
    Certificate: openCertificateVerifier(options.now),
  } satisfies Readonly<Record<KernelMode, Verifier>>
}
