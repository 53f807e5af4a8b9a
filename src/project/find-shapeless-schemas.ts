/** Finds schemas of handlers that descriptions cannot show (specification 5.21). */
import { readShape } from '../model/content/json-shape.ts'
import type { HandlerClass } from '../model/handler.ts'
import type { Problem } from '../model/problem.ts'
import type { Project } from './open-project.ts'

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
