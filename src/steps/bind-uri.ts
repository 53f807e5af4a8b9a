/** Binds path and query to the URI document by the template that matches (specification 2.17, 2.20, 2.24). */

import type { Operation } from '../model/operation.ts'
import { Refusal } from '../model/refusal.ts'
import { matchUriTemplates } from '../model/uri/match-uri-template.ts'
import type { Target } from '../model/uri/target.ts'
import { readUriDocument, type UriDocument } from '../model/uri/uri-document.ts'

/** @throws Refusal uriNotMatched, uriValueInvalid */
export function bindUri(
  target: Target,
  { templates, document }: Pick<Operation, 'templates' | 'document'>,
): UriDocument {
  const match = matchUriTemplates(templates, target)
  if (!match) throw new Refusal('uriNotMatched', 'No URI template of the operation matches.')
  return readUriDocument(match, document)
}
