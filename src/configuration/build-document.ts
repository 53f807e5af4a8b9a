/** Compiles the definition of a document template for calls (specification 2.13). */

import { normalizeDecimal } from '../base/decimal.ts'
import type { DocumentElement, DocumentTemplate } from '../model/document-template.ts'
import type { DocumentDefinition } from './configuration.ts'

export function buildDocument({ name, elements }: DocumentDefinition): DocumentTemplate {
  const entries = Object.entries(elements).map(
    ([name, { minimum, maximum, ...element }]): [string, DocumentElement] => [
      name,
      {
        ...element,
        name,
        length: element.length,
        values: element.values,
        ...(minimum !== undefined && { minimum: normalizeDecimal(minimum) }),
        ...(maximum !== undefined && { maximum: normalizeDecimal(maximum) }),
      },
    ],
  )
  return { name, elements: new Map(entries) }
}
