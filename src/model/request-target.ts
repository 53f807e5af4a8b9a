/** The destination of a request: an operation, or what the gateway answers itself. */
import type { OperationResponse } from './call.ts'
import type { Operation } from './operation.ts'
import type { Operator } from './operator.ts'
import type { Target } from './uri/target.ts'

export type RequestTarget = Target | OwnTarget

export type OwnTarget = HealthTarget | PathTarget

/** A health check (specification 1.11, 20.11). */
export interface HealthTarget extends NoOperation {
  readonly kind: 'healthz' | 'readyz'
}

/** A path of a feature, answered to an authenticated caller. */
export interface PathTarget extends NoOperation {
  readonly kind: 'path'
  /** For reasons in the log. */
  readonly called: Pick<Operation, 'segment'>
  /** @throws Refusal */
  answer(operator: Operator): Promise<OperationResponse>
}

interface NoOperation {
  readonly node?: undefined
  readonly service?: undefined
  /** In metrics: a name that no operation has. */
  readonly name: string
  /** What `ig explain` says of it. */
  readonly meaning: string
}
