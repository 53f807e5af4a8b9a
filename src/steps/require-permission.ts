/** The operator must hold a permission list that contains the operation (specification 3.3). */
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import { Refusal } from '../model/refusal.ts'
import type { Target } from '../model/uri/target.ts'
import { foundOf } from './target/found-target.ts'

/** @throws Refusal permissionDenied */
export function requirePermission(target: Target, operator: Operator, operation: Operation): void {
  const found = foundOf(target, operation)
  if (found?.permitted === operator) return
  if (!operator.permissionLists.some((list) => operation.permittedBy.has(list)))
    throw new Refusal('permissionDenied', `Operator ${operator.id} holds no permission list with ${operation.id}.`)
  if (found) found.permitted = operator
}
