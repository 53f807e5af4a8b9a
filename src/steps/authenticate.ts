/**
 * Authenticates the caller by the operation's verification and the request's credentials (specification 3.5 to 3.10, 27.1).
 */

import type { Catalog } from '../configuration/catalog.ts'
import type { Call } from '../model/call.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import { type Mode, modeOfScheme, type VerificationRow, verificationOf } from '../model/verification.ts'
import type { Verifiers } from '../verification/open-verifiers.ts'
import type { CallCredentials, CalledOperation, Operators } from '../verification/verifier.ts'
import { findOperation } from './find-operation.ts'
import { readTarget, type TargetParts } from './read-target.ts'

export interface AuthenticationParts {
  readonly operators: Operators
  readonly verifiers: Verifiers
}

export function authenticate(
  call: CallCredentials,
  operation: CalledOperation & Pick<Operation, 'verification'>,
  catalog: Catalog,
  { verifiers, operators }: AuthenticationParts,
): Promise<Operator> {
  return verifiers[findMode(call, operation)].verify(call, operation, catalog, operators)
}

/** The mode that checks a call: if its operation allows anonymous calls, that of its credentials. */
export function findMode({ headers }: Pick<Call, 'headers'>, { verification }: Pick<Operation, 'verification'>): Mode {
  const { mode, allowsAnonymous, takes } = verificationOf(verification)
  if (!allowsAnonymous || !headers.authorization) return mode
  const sent = modeOfScheme(String(headers.authorization))
  // A caller with credentials of another scheme has an identity: running as the default user would silently ignore it
  return sent !== undefined && takes.includes(sent) ? sent : takes[0]
}

/**
 * What a request will be verified by, for those who add its credentials. Without an operation, and if the pipeline refuses
 * the request before it finds one: NONE.
 */
export function findVerification(
  call: Pick<Call, 'method' | 'target' | 'headers'>,
  catalog: Catalog,
  gateway: TargetParts,
): VerificationRow {
  try {
    const target = readTarget(call, catalog, gateway)
    const operation = target.kind === 'operation' ? findOperation(target, call.method, catalog, gateway) : undefined
    return verificationOf(operation?.verification)
  } catch {
    return verificationOf('NONE')
  }
}
