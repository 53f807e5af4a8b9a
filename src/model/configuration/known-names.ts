/**
 * The names that references of a configuration may use. Errors in names and in references are reported together; a
 * reference that probably means an invalid name is not reported (specification 2.12).
 */

import { suggest } from '../../base/nearest.ts'
import type { Problem } from '../problem.ts'
import type { Unchecked } from './unchecked.ts'

export interface Known {
  readonly names: ReadonlySet<string>
  /** The invalid names, normalized for comparison. */
  readonly faulty: ReadonlySet<string>
  /** The part of a reference that is compared with invalid names. */
  readonly partOf: (reference: string) => string
}

/** Undefined if an item has no name at all: any reference may mean it. */
export interface KnownNames {
  readonly documents: Known | undefined
  readonly messages: Known | undefined
  readonly services: Known | undefined
  readonly operations: Known | undefined
  readonly permissionLists: Known | undefined
}

/** @param input the configuration before parsing, with the invalid names as written */
export function collectNames(unchecked: Unchecked, input: unknown): KnownNames {
  const namesOf = (list: 'documents' | 'messages' | 'services' | 'permissionLists') =>
    collect(
      unchecked[list],
      list,
      input,
      (item) => item.name ?? undefined,
      (reference) => reference,
    )
  return {
    documents: namesOf('documents'),
    messages: namesOf('messages'),
    services: namesOf('services'),
    permissionLists: namesOf('permissionLists'),
    operations: collect(
      unchecked.operations,
      'operations',
      input,
      ({ name, method, version = 'v1' }) => (name && method && version ? `${name}_${method}.${version}` : undefined),
      (reference) => reference.replace(/_[a-z]+(?:\.[^.]*)?$/i, ''), // the method or version may be the invalid part
    ),
  }
}

function collect<Item extends object>(
  items: readonly (Item | null)[] | null = [],
  list: string,
  input: unknown,
  idOf: (item: Item) => string | undefined,
  partOf: Known['partOf'],
): Known | undefined {
  if (items === null) return undefined
  const names = new Set<string>()
  const faulty = new Set<string>()
  for (const [index, item] of items.entries()) {
    const id = item ? idOf(item) : undefined
    const written = id ?? nameAsWritten(input, list, index)
    if (written === undefined) return undefined
    if (id === undefined) faulty.add(fold(written))
    else names.add(id)
  }
  return { names, faulty, partOf }
}

function nameAsWritten(input: unknown, list: string, index: number): string | undefined {
  const items = (input as Readonly<Record<string, readonly { readonly name?: unknown }[]>>)[list]
  const name = items?.[index]?.name
  return typeof name === 'string' ? name : undefined
}

/** Wrong names most often differ in letter case and separators. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

export function* requireKnown(
  path: string,
  name: string | null | undefined,
  known: Known | undefined,
  kind: string,
): Iterable<Problem> {
  if (!name || !known || known.names.has(name) || known.faulty.has(fold(known.partOf(name)))) return
  const hasAny = known.names.size + known.faulty.size > 0
  const hint = suggest(findOfUrl(name, known.names) ?? name, known.names) || (hasAny ? '' : `; it has no ${kind}s`)
  yield { path, message: `names no ${kind} of this configuration: ${JSON.stringify(name)}${hint}` }
}

/** The operation whose URL has this name, `ECHO.v1`: its own name also has the method. */
function findOfUrl(name: string, names: ReadonlySet<string>): string | undefined {
  return [...names].find((each) => each.replace(/_[A-Z]+(?=\.v\d+$)/, '') === name)
}
