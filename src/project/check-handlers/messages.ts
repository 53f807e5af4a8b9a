/** What is said between the process that checks a draft and the one that loads its modules (specification 18.37). */
import type { Problem } from '../../model/problem.ts'

export interface ToLoad {
  readonly folder: string
  /** As in the configuration, so that problems have their places; null for what need not be loaded. */
  readonly operations: readonly ({ readonly handler: string } | null)[]
}

export interface FromLoading {
  /** Of the module that is loaded now; undefined when all are. */
  readonly place?: string
  /** Of those before. */
  readonly problems: readonly Problem[]
}
