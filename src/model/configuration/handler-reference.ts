/**
 * Where the class of an operation or a job is: a module of the project and its export,
 * `handlers/key-value.ts#KeyValuePost` (specification 2.1, 24.1).
 */
import type { HandlerClass } from '../handler.ts'
import type { JobClass } from '../job.ts'
import { isPassThrough, type PassThrough } from './pass-through-schema.ts'

export interface HandlerReference {
  /** Relative to the project folder, with forward slashes. */
  readonly path: string
  readonly exportName: string
}

export function parseReference(reference: string): HandlerReference {
  const [path = '', exportName = 'default'] = reference.split('#')
  return { path, exportName }
}

/** @returns what is wrong with it, without reading any file */
export function findReferenceProblem(reference: string): string | undefined {
  const { path } = parseReference(reference)
  if (/^(?:[/\\]|[A-Za-z][A-Za-z0-9+.-]*:)/.test(path))
    return 'must be a path within the project folder, not an absolute one'
  if (path.split(/[/\\]/).includes('..')) return "must stay in the project folder: '..' leads out of it"
  if (path.includes('\\')) return 'must have forward slashes'
  if (!/^[^\p{C}#]+\.(?:ts|mts|js|mjs)$/u.test(path)) return 'must name a module of the project: handlers/my-handler.ts'
  if (!/^[^#]+(?:#[\p{ID_Start}$_][\p{ID_Continue}$]*)?$/u.test(reference))
    return 'must name one export after #, such as #MyHandler'
  return undefined
}

/** The classes of a project by `handlerKeyOf` of operations and `jobKeyOf` of jobs. */
export type Handlers = ReadonlyMap<string, HandlerClass | JobClass>

/** The lists whose items name a class, and its method. */
export const handlerLists = { operations: 'onRequest', jobs: 'run' } as const
export type HandlerList = keyof typeof handlerLists

export interface ListedReference {
  readonly list: HandlerList
  /** `operations[3].handler` */
  readonly place: string
  readonly reference: string
  readonly key: string
  /** Of an operation. */
  readonly verification?: string
}

/** All that a configuration names; it may be invalid in any way. */
export function listReferences(definition: unknown): readonly ListedReference[] {
  return (Object.keys(handlerLists) as HandlerList[]).flatMap((list) => {
    const items = (definition as Readonly<Record<string, unknown>> | undefined)?.[list]
    if (!Array.isArray(items)) return []
    return items.flatMap((item, index) => {
      const isShadow = typeof item?.handler?.shadow === 'string'
      const reference: unknown = isShadow ? item.handler.shadow : item?.handler
      if (typeof reference !== 'string') return []
      const key = list === 'jobs' ? jobKeyOf({ handler: reference }) : reference
      const place = `${list}[${index}].handler${isShadow ? '.shadow' : ''}`
      const { verification } = item
      return { list, place, reference, key, ...(typeof verification === 'string' && { verification }) }
    })
  })
}

/** A class may be the handler of an operation and of a job. */
export function jobKeyOf({ handler }: { readonly handler: string }): string {
  return `job ${handler}`
}

/** The key of an operation's handler: its reference, or the definition of its pass-through or stand-in. */
export function handlerKeyOf({ handler, fixture, uriTemplates, responseMessage }: Named): string {
  if (isPassThrough(handler)) return `pass-through ${JSON.stringify(handler)}`
  return handler ?? `fixture ${JSON.stringify([uriTemplates, responseMessage, fixture])}`
}

/** Of an operation's definition. */
interface Named {
  readonly handler?: string | PassThrough | undefined
  readonly fixture?: unknown
  readonly uriTemplates: readonly string[]
  readonly responseMessage: unknown
}
