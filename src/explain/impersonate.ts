/**
 * How `ig try`, `ig explain` and the console's Try it run a call as an operator whose password nobody knows: the gateway
 * that they put together for this one call has a credentials part that vouches for the one operator named. Everything
 * else of the pipeline is as it is. Whoever may run `ig` on a project may read its store, and an administrator may give
 * any operator a password, so nothing is given away; and no caller has this way: `openGateway`, which listens, opens its
 * credentials itself and takes none (specification 15.1, 19.11).
 */
import type { Gateway } from '../gateway.ts'
import type { Call } from '../model/call.ts'
import { sayClaimed } from '../model/claimed-name.ts'
import type { Operator } from '../model/operator.ts'
import { Refusal } from '../model/refusal.ts'
import type { Credentials } from '../steps/authenticate.ts'
import { tokenRejected } from '../steps/credentials/bearer.ts'
import { findOperation } from '../steps/find-operation.ts'
import { readTarget } from '../steps/read-target.ts'

/** What stands where a caller has credentials. */
export const vouched = 'vouched'

/** The header is of the kind that the operation asks for, and empty of secrets. */
export function vouch(
  call: Call,
  operator: Operator,
  gateway: Gateway,
): { readonly call: Call; readonly gateway: Gateway } {
  const authorization = asksForToken(call, gateway) ? `Bearer ${vouched}` : `Basic ${vouched}`
  return {
    call: { ...call, headers: { ...call.headers, authorization } },
    gateway: { ...gateway, credentials: vouchFor(operator) },
  }
}

function vouchFor(operator: Operator): Credentials {
  const { id, isLocked } = operator
  return {
    basic: {
      verify() {
        if (!isLocked) return operator
        throw new Refusal('basicRejected', `Basic authentication failed: ${sayClaimed('operator is locked', id)}.`)
      },
      release() {},
    },
    bearer: {
      verify(_header, operation) {
        if (!isLocked) return operator
        throw tokenRejected(operation, sayClaimed('operator is locked', id))
      },
    },
  }
}

function asksForToken(call: Call, gateway: Gateway): boolean {
  try {
    const operation = findOperation(readTarget(call, gateway.catalog, gateway), call.method, gateway.catalog, gateway)
    return operation.verification.startsWith('OAuth2')
  } catch {
    return false // whoever is asked first refuses the call before anyone looks at its credentials
  }
}
