/** Selects the operations of a description (specification 12.1, 12.3). */
import type { Catalog } from '../../configuration/catalog.ts'
import type { Operation } from '../../model/operation.ts'
import type { Operator } from '../../model/operator.ts'
import { permits } from '../../model/permission.ts'

export interface Selection {
  /** Only those of this service. */
  readonly service?: string | undefined
  /** Only those that this operator may call. */
  readonly operator?: Pick<Operator, 'permissionLists'> | undefined
}

/** Active operations, in the order of the configuration. */
export function selectOperations(
  { services }: Pick<Catalog, 'services'>,
  { service, operator }: Selection,
): readonly Operation[] {
  return [...services.values()]
    .flatMap((byMethod) => [...byMethod.values()])
    .filter((operation) => service === undefined || operation.service === service)
    .filter((operation) => operator === undefined || permits(operator, operation))
}
