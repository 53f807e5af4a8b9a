/** Messages between the process that checks a draft and the one that loads its modules (specification 18.37). */
import type { ListedReference } from '../../configuration/list-references.ts'
import type { Problem } from '../../model/problem.ts'

export interface ToLoad {
  readonly folder: string
  readonly references: readonly ListedReference[]
}

export interface FromLoading {
  /** The module being loaded; undefined when all are loaded. */
  readonly place?: string
  /** Problems of the modules loaded before. */
  readonly problems: readonly Problem[]
}
