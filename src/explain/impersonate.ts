/**
 * Impersonation: `ig try`, `ig explain` and the console's Try it call as any operator, without a password. They replace
 * the credentials part of the gateway for this one call; the rest of the pipeline is unchanged. This grants nothing
 * new: a user of `ig` can read the project's store, and an administrator can set any operator's password. Callers
 * cannot reach it: `openGateway`, which listens, opens its own credentials part (specification 15.1, 19.11).
 */
import type { Gateway } from '../gateway.ts'
import type { Call } from '../model/call.ts'
import { withClaimed } from '../model/claimed-name.ts'
import type { Operator } from '../model/operator.ts'
import { Refusal } from '../model/refusal.ts'
import type { CredentialKind } from '../model/verification.ts'
import type { Credentials } from '../steps/authenticate.ts'
import { tokenRejected } from '../steps/credentials/bearer.ts'
import { rejected as certificateRejected } from '../steps/credentials/certificate.ts'
import { credentialKindOf } from '../steps/credentials/credential-kind.ts'
import { rejected } from '../steps/credentials/session-token.ts'

/** Replaces the caller's credentials. */
export const impersonated = 'impersonated'

/** Of the kind that the operation reads, without a secret. */
const headers: Readonly<Record<CredentialKind, Readonly<Record<string, string>>>> = {
  basic: { authorization: `Basic ${impersonated}` },
  bearer: { authorization: `Bearer ${impersonated}` },
  sessionToken: { ps_token: impersonated },
  certificate: { authorization: `Certificate ${impersonated}` },
}

export function impersonate(
  call: Call,
  operator: Operator,
  gateway: Gateway,
): { readonly call: Call; readonly gateway: Gateway } {
  const added = headers[credentialKindOf(call, gateway.catalog, gateway)]
  return {
    call: { ...call, headers: { ...call.headers, ...added } },
    gateway: { ...gateway, credentials: credentialsOf(operator, gateway.credentials) },
  }
}

function credentialsOf(operator: Operator, { bearer, sessionTokens }: Credentials): Credentials {
  const { id, isLocked } = operator
  return {
    basic: {
      verify() {
        if (!isLocked) return operator
        throw new Refusal('basicRejected', `Basic authentication failed: ${withClaimed('operator is locked', id)}.`)
      },
      release() {},
    },
    bearer: {
      ...bearer,
      verify(_header, operation) {
        if (!isLocked) return operator
        throw tokenRejected(operation, withClaimed('operator is locked', id))
      },
    },
    certificates: {
      verify() {
        if (!isLocked) return operator
        throw certificateRejected(withClaimed('operator is locked', id))
      },
    },
    sessionTokens: {
      ...sessionTokens,
      verify() {
        if (!isLocked) return operator
        throw rejected(withClaimed('operator is locked', id))
      },
    },
  }
}
