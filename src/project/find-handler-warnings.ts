/** What `ig check` warns of in the classes of handlers. */
import { handlerKeyOf } from '../configuration/list-references.ts'
import { readShape } from '../model/content/json-shape.ts'
import type { HandlerClass } from '../model/handler.ts'
import type { Problem } from '../model/problem.ts'
import type { Project } from './open-project.ts'

/** Handlers that state the status or type of a fault message without an `onError` to write it (specification 5.6). */
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

/** Schemas that descriptions cannot show (specification 5.21). */
export function findShapelessSchemas({ configuration, handlers }: Project): readonly Problem[] {
  return configuration.operations.flatMap(({ handler = '' }, index) => {
    const named = handlers.get(String(handler)) as HandlerClass | undefined
    if (!named) return []
    return (['request', 'response'] as const).flatMap((side) => {
      const read = readShape(named, side)
      if (!read || !('fault' in read)) return []
      return [{ path: `operations[${index}].handler`, message: `names a class whose ${side}Schema ${read.fault}` }]
    })
  })
}
