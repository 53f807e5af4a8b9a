/**
 * The shapes of JSON that handlers state, as components of an OpenAPI document (specification 5.21). References within a shape
 * lead to its component.
 */
import { readShape } from '../../model/content/json-shape.ts'
import type { Operation } from '../../model/operation.ts'
import type { Reference, Schema } from './schemas.ts'

export interface Shapes {
  /** Undefined if the handler states none, or one without a shape. */
  refer(operation: Operation, side: 'request' | 'response'): Reference | undefined
  /** What was referred to. */
  readonly components: Readonly<Record<string, Schema>>
}

export function openShapes(): Shapes {
  const components: Record<string, Schema> = {}
  return {
    components,
    refer({ id, handler }, side) {
      const read = readShape(handler, side)
      if (!read || 'fault' in read) return undefined
      const name = `${id.replace('.', '_')}_${side}`
      const $ref = `#/components/schemas/${name}`
      components[name] ??= moveReferences(read.shape, $ref) as Schema
      return { $ref }
    },
  }
}

function moveReferences(part: unknown, root: string): unknown {
  if (Array.isArray(part)) return part.map((item) => moveReferences(item, root))
  if (typeof part !== 'object' || part === null) return part
  const members = Object.entries(part).map(([name, member]) => {
    const isLocal = name === '$ref' && typeof member === 'string' && member.startsWith('#')
    return [name, isLocal ? root + member.slice(1) : moveReferences(member, root)]
  })
  return Object.fromEntries(members)
}
