/** Handlers that state the status or type of a fault message without an `onError` to write it (specification 5.6). */
import { handlerKeyOf } from '../model/configuration/list-references.ts'
import type { Problem } from '../model/problem.ts'
import type { Project } from './open-project.ts'

export function findIdleFaultFields({ configuration, handlers }: Project): readonly Problem[] {
  return configuration.operations.flatMap((operation, index) => {
    const handler = handlers.get(handlerKeyOf(operation)) as { readonly prototype?: object } | undefined
    const source = String(handler)
    const [field] = /\bonError(?:HttpResponseCode|ContentType)\b/.exec(source) ?? []
    const hasOnError =
      /\bonError\b/.test(source) || (handler?.prototype !== undefined && 'onError' in handler.prototype)
    if (field === undefined || hasOnError) return []
    return [{ path: `operations[${index}].handler`, message: `has ${field} without onError, so it has no effect` }]
  })
}
