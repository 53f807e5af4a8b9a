/**
 * The names that references of a configuration may use. Errors in names and in references are reported together; a
 * reference that probably means an invalid name is not reported (specification 2.12).
 */

import { suggest } from '../base/nearest.ts'
import type { DocumentTemplate } from '../model/document-template.ts'
import type { Problem } from '../model/problem.ts'

export interface NameSet {
  readonly names: ReadonlySet<string>
  /** The invalid names, normalized for comparison. */
  readonly faulty: ReadonlySet<string>
  /** The part of a reference that is compared with invalid names. */
  readonly partOf: (reference: string) => string
}

/** Undefined if an item has no name at all: any reference may mean it. */
export interface KnownNames {
  readonly documents: NameSet | undefined
  readonly messages: NameSet | undefined
  readonly services: NameSet | undefined
  readonly operations: NameSet | undefined
  readonly permissionLists: NameSet | undefined
  /** Message → the document that it is built on. */
  readonly templates: ReadonlyMap<string, DocumentTemplate>
}

/** Wrong names most often differ in letter case and separators. */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

export function* requireKnown(
  path: string,
  name: string | null | undefined,
  known: NameSet | undefined,
  kind: string,
): Iterable<Problem> {
  if (!name || !known || known.names.has(name) || known.faulty.has(fold(known.partOf(name)))) return
  const hasAny = known.names.size + known.faulty.size > 0
  const hint = suggest(findOfUrl(name, known.names) ?? name, known.names) || (hasAny ? '' : `; it has no ${kind}s`)
  yield { path, message: `names no ${kind} of this configuration: ${JSON.stringify(name)}${hint}` }
}

/** The operation whose URL has this name, `ECHO.v1`: its own name also has the method. */
function findOfUrl(name: string, names: ReadonlySet<string>): string | undefined {
  return [...names].find((each) => each.replace(/_[A-Z]+(?=(?:\.v\d+)?$)/, '') === name)
}
