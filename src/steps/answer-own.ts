/** Answers requests to the gateway itself: health checks and descriptions of the API (specification 1.11, 12.1). */
import type { Call, OperationResponse } from '../model/call.ts'
import type { Catalog } from '../model/catalog.ts'
import type { Transaction } from '../model/transaction.ts'
import type { OwnTarget } from '../model/uri/target.ts'
import { type DescribeParts, describeApi } from './own/describe-api.ts'
import { answerHealthCheck, type HealthParts } from './own/health.ts'

export function answerOwn(
  target: OwnTarget,
  call: Call,
  transaction: Transaction,
  catalog: Catalog,
  gateway: DescribeParts & HealthParts,
): OperationResponse | Promise<OperationResponse> {
  return target.kind === 'description'
    ? describeApi(target, call, transaction, catalog, gateway)
    : answerHealthCheck(target, gateway)
}
