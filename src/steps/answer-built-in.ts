/** Answers requests to the gateway itself: health checks, and paths of features (specification 1.11, 20.11). */

import type { Catalog } from '../configuration/catalog.ts'
import type { Call, OperationResponse } from '../model/call.ts'
import type { Operator } from '../model/operator.ts'
import { Refusal } from '../model/refusal.ts'
import type { OwnTarget, PathTarget } from '../model/request-target.ts'
import type { Transaction } from '../model/transaction.ts'
import { type AuthenticationParts, authenticate } from './authenticate.ts'
import { answerHealthCheck, type HealthParts } from './built-in/health.ts'

export function answerBuiltIn(
  target: OwnTarget,
  call: Call,
  transaction: Transaction,
  catalog: Catalog,
  gateway: AuthenticationParts & HealthParts,
): OperationResponse | Promise<OperationResponse> {
  return target.kind === 'path'
    ? answerPath(target, call, transaction, catalog, gateway)
    : answerHealthCheck(target, gateway)
}

/** @throws Refusal basicRejected, tokenRejected, pathUnknown */
async function answerPath(
  target: PathTarget,
  call: Call,
  transaction: Transaction,
  catalog: Catalog,
  known: AuthenticationParts,
): Promise<OperationResponse> {
  const operator = await findCaller(target, call, catalog, known)
  transaction.operator = operator
  return target.answer(operator)
}

/** As for an operation without verification; but if anonymous callers may call nothing, they learn nothing either. */
async function findCaller(
  { called }: PathTarget,
  call: Call,
  catalog: Catalog,
  known: AuthenticationParts,
): Promise<Operator> {
  try {
    return await authenticate(call, { ...called, verification: 'NONE' }, catalog, known)
  } catch (error) {
    const isDenied = error instanceof Refusal && error.code === 'permissionDenied'
    throw isDenied ? new Refusal('pathUnknown', error.message) : error
  }
}
