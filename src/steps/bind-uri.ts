/** Binds path and query to the URI document by the template that matches (specification 2.17, 2.20, 2.24, 2.27, 36.18). */

import type { Operation } from '../model/operation.ts'
import { Refusal } from '../model/refusal.ts'
import { matchUriTemplates, type UriMatch } from '../model/uri/match-uri-template.ts'
import type { Target } from '../model/uri/target.ts'
import { abbreviate, readUriDocument, type UriDocument } from '../model/uri/uri-document.ts'

/** @throws Refusal uriNotMatched, uriValueInvalid */
export function bindUri(target: Target, operation: BoundOperation): UriDocument {
  const match = findMatch(target, operation)
  return match ? readUriDocument(match, operation.document) : anyPath
}

type BoundOperation = Pick<Operation, 'templates' | 'document' | 'unknownParameters' | 'forwards' | 'takesEveryPath'>

/** @returns undefined if the operation takes every path */
function findMatch(target: Target, operation: BoundOperation): UriMatch | undefined {
  if (operation.forwards) refuseDotSegments(target)
  if (operation.takesEveryPath) return undefined
  const { templates, unknownParameters } = operation
  const match = matchUriTemplates(templates, target)
  if (!match)
    throw new Refusal(
      'uriNotMatched',
      () => `No URI template of the operation matches.${findNearUrl(target, templates)}`,
    )
  if (unknownParameters === 'refuse') requireKnownNames(target, templates)
  return match
}

/** A server that resolves `..` would answer another operation than the permitted one. */
function refuseDotSegments({ rawPath }: Target): void {
  if (dotSegment.test(rawPath))
    throw new Refusal('uriNotMatched', 'The path has a segment . or .., which the other server could resolve.')
}

/** Also encoded, twice too, with parameters, and between backslashes: servers differ in what they resolve. */
const dotSegment = /(?:[/\\]|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?:[/\\;]|%(?:25)*(?:2f|5c|3b)|$)/i

/** For the log: what would have matched (specification 36.14). */
function findNearUrl(target: Target, templates: Operation['templates']): string {
  const named = new Map(templates.flatMap(({ query }) => query.map(({ name }) => [name.toLowerCase(), name])))
  const query = target.query.map(([name, value]) => [named.get(name.toLowerCase()) ?? name, value] as const)
  const misnamed = query.find(([name], at) => name !== target.query[at]?.[0])
  const cased = misnamed && matchUriTemplates(templates, { ...target, query })
  if (cased)
    return ` With the query parameter ${misnamed[0]} in this letter case the URL would match template ${cased.template.index}, ${cased.template.source}.`
  for (const [words, repair] of repairs) {
    const path = repair(target.path)
    const isChanged = path.length !== target.path.length || path.some((segment, at) => segment !== target.path[at])
    const match = isChanged ? matchUriTemplates(templates, { ...target, path }) : undefined
    if (match) return ` ${words} the path would match template ${match.template.index}, ${match.template.source}.`
  }
  return ''
}

type Path = Target['path']
const repairs: readonly (readonly [words: string, repair: (path: Path) => Path])[] = [
  ['Without ;jsessionid', (path) => path.map((segment) => segment.replace(/;jsessionid=.*/i, ''))],
  ['Without empty parts', (path) => path.filter((segment) => segment !== '')],
  ['With %20 instead of + (which is a plus in a path)', (path) => path.map((segment) => segment.replaceAll('+', ' '))],
  ['In lower case', (path) => path.map((segment) => segment.toLowerCase())],
  ['In upper case', (path) => path.map((segment) => segment.toUpperCase())],
  ['Without its last part', (path) => path.slice(0, -1)],
]

const anyPath: UriDocument = Object.freeze({ uriResourceIndex: 1, values: Object.freeze({}), texts: new Map() })

function requireKnownNames({ query }: Target, templates: Operation['templates']): void {
  if (query.length === 0) return
  const known = new Set(templates.flatMap((template) => template.query.map(({ name }) => name)))
  const unknown = query.find(([name]) => !known.has(name))
  if (!unknown) return
  const [name] = unknown
  const detail = `The query parameter ${abbreviate(name)} is not known.`
  throw new Refusal('uriValueInvalid', 'a query parameter that no URI template names', { detail })
}
