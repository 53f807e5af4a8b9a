/** Operators whose ids are found without regard to case: for Basic credentials, with `ig.compat.operatorCase` (specification 33.5). */

import type { Operator } from '../../model/operator.ts'
import type { Problem } from '../../model/problem.ts'

export class OperatorsOfAnyCase extends Map<string, Operator> {
  readonly #byFold = new Map<string, Set<string>>()

  override set(id: string, operator: Operator): this {
    const ids = this.#byFold.get(fold(id))
    if (ids) ids.add(id)
    else this.#byFold.set(fold(id), new Set([id]))
    return super.set(id, operator)
  }

  override delete(id: string): boolean {
    const ids = this.#byFold.get(fold(id))
    ids?.delete(id)
    if (ids?.size === 0) this.#byFold.delete(fold(id))
    return super.delete(id)
  }

  /** The id that is meant: as stated, if there is one; else the only one of other letter case. */
  resolve(stated: string): string {
    if (this.has(stated)) return stated
    const [only, ...others] = this.#byFold.get(fold(stated)) ?? []
    return only !== undefined && others.length === 0 ? only : stated
  }

  /** Ids that differ only in case. */
  problems(): readonly Problem[] {
    const doubles = [...this.#byFold.values()].filter(({ size }) => size > 1)
    return doubles.slice(0, maxShown).map((ids) => ({
      path: 'ig.compat.operatorCase',
      message: `cannot be true: the operators ${[...ids].join(' and ')} differ only in letter case. Delete one, or turn it off`,
    }))
  }
}

const maxShown = 10

/** Not by locale: the same everywhere. */
function fold(id: string): string {
  return id.toUpperCase()
}

/** The id of Basic credentials. */
export function resolveId(stated: string, operators: ReadonlyMap<string, Operator>): string {
  return operators instanceof OperatorsOfAnyCase ? operators.resolve(stated) : stated
}
