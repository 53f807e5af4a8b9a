/** The classes that a configuration names, of operations and of the lists of features (specification 2.1). */
import { handlerFieldNames, handlerForms, mergeContributions } from '../features.ts'
import type { OperationDefinition } from './configuration.ts'
import type { HandlerForm, ListRow } from './list-row.ts'

/** The classes of a project by `handlerKeyOf` of operations and `classKeyOf` of items of other lists. */
export type Handlers = ReadonlyMap<string, new () => object>

/** The lists whose items name a class, and its method. */
export const classMethods: Readonly<Record<string, string>> = {
  operations: 'onRequest',
  ...Object.fromEntries(
    Object.entries<ListRow>(mergeContributions('lists')).flatMap(([list, { method }]) =>
      method ? [[list, method]] : [],
    ),
  ),
}

/** Members of handlers of other forms that name a class. */
const formReferences = handlerForms.flatMap(({ reference }: HandlerForm) => reference ?? [])

export interface ListedReference {
  /** `operations`, or another one whose items name classes. */
  readonly list: string
  /** `operations[3].handler` */
  readonly place: string
  readonly reference: string
  readonly key: string
  /** The verification of the operation that has the reference. */
  readonly verification?: string
}

/** All that a configuration names; it may be invalid in any way. */
export function listReferences(definition: unknown): readonly ListedReference[] {
  return Object.keys(classMethods).flatMap((list) => {
    const items = (definition as Readonly<Record<string, unknown>> | undefined)?.[list]
    if (!Array.isArray(items)) return []
    return items.flatMap((item, index) => {
      const member = formReferences.find((name) => typeof item?.handler?.[name] === 'string')
      const reference: unknown = member === undefined ? item?.handler : item.handler[member]
      if (typeof reference !== 'string') return []
      const key = classKeyOf(list, reference)
      const place = `${list}[${index}].handler${member === undefined ? '' : `.${member}`}`
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
