/** The operator must hold a permission list that contains the operation (specification 3.3). */
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import { permits } from '../model/permission.ts'
import { Refusal } from '../model/refusal.ts'

/** @throws Refusal permissionDenied */
export function requirePermission(operator: Operator, operation: Operation): void {
  if (!permits(operator, operation))
    throw new Refusal('permissionDenied', `Operator ${operator.id} holds no permission list with ${operation.id}.`)
}
