/**
 * Impersonation: `ig try`, `ig explain` and the console's Try it call as any operator, without a password. They replace
 * the verifiers of the gateway for this one call; the rest of the pipeline is unchanged. This grants nothing
 * new: a user of `ig` can read the project's store, and an administrator can set any operator's password. Callers
 * cannot reach it: `openGateway`, which listens, opens its own verifiers (specification 15.1, 19.11).
 */
import type { Gateway } from '../gateway.ts'
import type { Call } from '../model/call.ts'
import type { Operator } from '../model/operator.ts'
import { verificationOf } from '../model/verification.ts'
import { findVerification } from '../steps/authenticate.ts'
import type { Verifiers } from '../verification/open-verifiers.ts'
import { requireUnlocked, type Verifier } from '../verification/verifier.ts'

export function impersonate(
  call: Call,
  operator: Operator,
  gateway: Gateway,
): { readonly call: Call; readonly gateway: Gateway } {
  const { header, scheme } = verificationOf(findVerification(call, gateway.catalog, gateway).takes[0])
  // Of the kind that the operation reads, without a secret
  const added = header === undefined ? {} : { [header]: scheme ? `${scheme} impersonated` : 'impersonated' }
  const impersonated = Object.entries<Verifier>(gateway.verifiers).map(([mode, verifier]) => [
    mode,
    withOperator(verifier, operator),
  ])
  return {
    call: { ...call, headers: { ...call.headers, ...added } },
    gateway: { ...gateway, verifiers: Object.fromEntries(impersonated) as Verifiers },
  }
}

function withOperator(verifier: Verifier, operator: Operator): Verifier {
  return {
    ...verifier,
    verify: async (_call, operation) => requireUnlocked(operator, (reason) => verifier.rejected(reason, operation)),
  }
}
