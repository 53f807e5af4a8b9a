/** Whether an operator may call an operation, and by which permission lists: the answer with its reasons (specification 3.3, 15.4). */
import type { Operation } from './operation.ts'
import type { Operator } from './operator.ts'

export interface Permission {
  readonly isAllowed: boolean
  /** Permission lists of the operator that hold the operation. */
  readonly grantedBy: readonly string[]
  /** Permission lists that hold the operation: any of them would do. */
  readonly wouldGrant: readonly string[]
  /** The facts behind the answer, for further reading. */
  readonly reason: string
}

export function permits(
  { permissionLists }: Pick<Operator, 'permissionLists'>,
  { permittedBy }: Pick<Operation, 'permittedBy'>,
): boolean {
  return permissionLists.some((name) => permittedBy.has(name))
}

export function findPermission(
  { id, isLocked, permissionLists }: Pick<Operator, 'id' | 'isLocked' | 'permissionLists'>,
  { permittedBy }: Pick<Operation, 'permittedBy'>,
): Permission {
  const grantedBy = permissionLists.filter((name) => permittedBy.has(name))
  const found = { grantedBy, wouldGrant: [...permittedBy] }
  if (isLocked) return { ...found, isAllowed: false, reason: `${id} is locked` }
  if (grantedBy.length > 0) return { ...found, isAllowed: true, reason: `granted by ${grantedBy.join(', ')}` }
  const lists = found.wouldGrant.length > 0 ? `would be granted by ${found.wouldGrant.join(', ')}` : 'no list has it'
  const held = permissionLists.length > 0 ? `holds ${permissionLists.join(', ')}` : 'holds no permission list'
  return { ...found, isAllowed: false, reason: `${id} ${held}; ${lists}` }
}
