/** The classes that a configuration names, of operations and of the lists of features (specification 2.1). */
import { handlerFieldNames, together } from '../../features.ts'
import type { OperationDefinition } from './configuration.ts'
import type { ListRow } from './list-row.ts'

/** The classes of a project by `handlerKeyOf` of operations and `classKeyOf` of items of other lists. */
export type Handlers = ReadonlyMap<string, new () => object>

/** The lists whose items name a class, and its method. */
export const classMethods: Readonly<Record<string, string>> = {
  operations: 'onRequest',
  ...Object.fromEntries(
    Object.entries<ListRow>(together('lists')).flatMap(([list, { method }]) => (method ? [[list, method]] : [])),
  ),
}

export interface ListedReference {
  /** `operations`, or another one whose items name classes. */
  readonly list: string
  /** `operations[3].handler` */
  readonly place: string
  readonly reference: string
  readonly key: string
  /** Of an operation. */
  readonly verification?: string
}

/** All that a configuration names; it may be invalid in any way. */
export function listReferences(definition: unknown): readonly ListedReference[] {
  return Object.keys(classMethods).flatMap((list) => {
    const items = (definition as Readonly<Record<string, unknown>> | undefined)?.[list]
    if (!Array.isArray(items)) return []
    return items.flatMap((item, index) => {
      const isShadow = typeof item?.handler?.shadow === 'string'
      const reference: unknown = isShadow ? item.handler.shadow : item?.handler
      if (typeof reference !== 'string') return []
      const key = classKeyOf(list, reference)
      const place = `${list}[${index}].handler${isShadow ? '.shadow' : ''}`
      const { verification } = item
      return { list, place, reference, key, ...(typeof verification === 'string' && { verification }) }
    })
  })
}

/** A class may be named by items of several lists. */
export function classKeyOf(list: string, reference: string): string {
  return list === 'operations' ? reference : `${list}: ${reference}`
}

/** The key of an operation's handler: its reference, or the definition of what answers instead. */
export function handlerKeyOf({ handler, uriTemplates, responseMessage, ...fields }: OperationDefinition): string {
  if (typeof handler === 'string') return handler
  return JSON.stringify(handler ?? [uriTemplates, responseMessage, handlerFieldNames.map((name) => fields[name])])
}
