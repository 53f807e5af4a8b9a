/** Messages between the process that checks a draft and the one that loads its modules (specification 18.37). */
import type { Problem } from '../../model/problem.ts'

export interface ToLoad {
  readonly folder: string
  /** As in the configuration, so that problems keep their paths; null for handlers that are not loaded. */
  readonly operations: readonly ({ readonly handler: string } | null)[]
}

export interface FromLoading {
  /** Of the module being loaded; undefined when all are loaded. */
  readonly place?: string
  /** Of the modules before it. */
  readonly problems: readonly Problem[]
}
