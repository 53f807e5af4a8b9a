/** Binds path and query to the URI document by the template that matches (specification 2.17, 2.20, 2.24, 2.27). */

import type { Operation } from '../model/operation.ts'
import { Refusal } from '../model/refusal.ts'
import { matchUriTemplates } from '../model/uri/match-uri-template.ts'
import type { Target } from '../model/uri/target.ts'
import { abbreviate, readUriDocument, type UriDocument } from '../model/uri/uri-document.ts'

/** @throws Refusal uriNotMatched, uriValueInvalid */
export function bindUri(
  target: Target,
  operation: Pick<Operation, 'templates' | 'document' | 'unknownParameters' | 'takesEveryPath'>,
): UriDocument {
  if (operation.takesEveryPath) return anyPath
  const { templates, document, unknownParameters } = operation
  const match = matchUriTemplates(templates, target)
  if (!match) throw new Refusal('uriNotMatched', 'No URI template of the operation matches.')
  if (unknownParameters === 'refuse') requireKnownNames(target, templates)
  return readUriDocument(match, document)
}

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
