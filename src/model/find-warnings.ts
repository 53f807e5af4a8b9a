/** What of a sound configuration is probably not meant: it is served all the same (specification 2.14). */
import type { Configuration } from './configuration.ts'
import type { Problem } from './problem.ts'

export function findWarnings({ operations }: Configuration): readonly Problem[] {
  return operations.flatMap(({ documentTemplate, uriTemplates }, index) => {
    if (documentTemplate === undefined || uriTemplates.some((source) => source.includes('{'))) return []
    const message =
      'has no effect: no URI template has a variable for it. Leave it out, or name an element in a template'
    return [{ path: `operations[${index}].documentTemplate`, message }]
  })
}
