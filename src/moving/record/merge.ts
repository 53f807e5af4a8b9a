/**
 * Merges a new definition into what is in the project (specification 38.5): what a person has changed since the last
 * session, compared with what that session wrote, stays as it is.
 */
import { isDeepStrictEqual } from 'node:util'
import { operationIdOf } from '../../model/operation-name.ts'
import type { Definition } from '../import/assemble.ts'

export type Lists = Readonly<Record<string, readonly Item[]>>

interface Item {
  readonly name: string
  readonly [field: string]: unknown
}

export interface MergeResult {
  readonly definition: Lists
  /** Operations that a person changed or removed, and that would have changed: `PERSON_GET.v1`. */
  readonly kept: readonly string[]
}

/** @param base what the last session wrote; @param current what is there; @param next what this session would write */
export function mergeDefinitions(base: Lists, current: Lists, next: Definition): MergeResult {
  const lists = next as unknown as Lists
  const kept = new Set<string>()
  const edited = new Set<unknown>() // documents and messages belong to the operation that has them
  for (const operation of unite(base.operations, current.operations)) {
    const id = idOf(operation)
    const [before, now] = [find(base.operations, id), find(current.operations, id)]
    if (before && !isDeepStrictEqual(before, now)) edited.add(now?.documentTemplate ?? before.documentTemplate)
  }
  const mergeList = (name: string) => {
    const [before, now, then] = [base[name], current[name], lists[name]]
    return unite(now, then).flatMap((item) => {
      const id = idOf(item)
      const [earlier, present, wanted] = [find(before, id), find(now, id), find(then, id)]
      const isTouched = !isDeepStrictEqual(earlier, present)
      const belongs = (name === 'documents' || name === 'messages') && edited.has(id)
      if (!isTouched && !belongs) return wanted ?? []
      if (name === 'operations' && !isDeepStrictEqual(earlier, wanted)) kept.add(id)
      return present ?? []
    })
  }
  const names = new Set([...Object.keys(current), ...Object.keys(lists)])
  const definition = Object.fromEntries([...names].map((name) => [name, mergeList(name)]))
  return { definition, kept: [...kept] }
}

/** Without the rows that follow an operation which a person removed or gave a handler: nothing notices its calls. */
export function dropLost(next: Definition, merged: Lists): Definition {
  const noticed = new Set(merged.operations?.filter(({ fixture }) => fixture !== undefined).map(idOf))
  const operations = next.operations.map((operation) => {
    if (!Array.isArray(operation.fixture)) return operation
    const fixture = operation.fixture.filter(({ after }) => after === undefined || noticed.has(after))
    return { ...operation, fixture }
  })
  return { ...next, operations }
}

function idOf({ name, method, version }: Item): string {
  return method === undefined ? name : operationIdOf({ name, method: `${method}`, version: `${version}` })
}

function find(list: readonly Item[] | undefined, id: string): Item | undefined {
  return list?.find((item) => idOf(item) === id)
}

function unite(...lists: readonly (readonly Item[] | undefined)[]): readonly Item[] {
  const all = lists.flatMap((list) => list ?? [])
  return [...new Map(all.toReversed().map((item) => [idOf(item), item])).values()].toReversed()
}
