/** Templates of an import, before they are configured: one that cannot be is left out, and the others stay (specification 16.9). */
import type { DocumentTemplate } from '../../model/document-template.ts'
import { parseUriTemplate } from '../../model/uri/uri-template.ts'
import type { FoundElement } from './imported-operations.ts'

/** @returns of each template what is wrong with it, if anything */
export function findTemplateProblems(
  sources: readonly string[],
  elements: Readonly<Record<string, FoundElement>>,
): readonly (string | undefined)[] {
  const document = compileDocument(elements)
  const known = new Map<string, string>()
  return sources.map((source, at) => {
    const parsed = parseUriTemplate(source, at + 1, document)
    if ('problems' in parsed) return parsed.problems[0]?.message
    const same = known.get(parsed.template.signature)
    known.set(parsed.template.signature, same ?? source)
    return same === undefined ? undefined : `matches the same requests as ${JSON.stringify(same)}`
  })
}

export function compileDocument(elements: Readonly<Record<string, FoundElement>>): DocumentTemplate {
  const entries = Object.entries(elements).map(([name, { type, isCollection = false }]) => {
    return [name, { name, type, isCollection, isRequired: false, length: undefined, values: undefined }] as const
  })
  return { name: 'IMPORTED', elements: new Map(entries) }
}
