/** Compiles the definition of a document template for calls (specification 2.13). */
import type { DocumentDefinition } from './configuration/configuration.ts'
import type { DocumentElement, DocumentTemplate } from './document-template.ts'

export function buildDocument({ name, elements }: DocumentDefinition): DocumentTemplate {
  const entries = Object.entries(elements).map(([name, element]): [string, DocumentElement] => [
    name,
    { ...element, name, length: element.length, values: element.values },
  ])
  return { name, elements: new Map(entries) }
}
