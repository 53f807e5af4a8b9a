/** The operator must hold a permission list that contains the operation (specification 3.3). */
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import { Refusal } from '../model/refusal.ts'

export function requirePermission(operator: Operator, operation: Operation): void {
  for (const list of operator.permissionLists) if (operation.permittedBy.has(list)) return
  throw new Refusal('permissionDenied', `Operator ${operator.id} holds no permission list with ${operation.id}.`)
}
