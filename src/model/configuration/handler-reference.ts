/**
 * Where the handler of an operation is: a module of the project and its exported class,
 * `handlers/key-value.ts#KeyValuePost` (specification 2.1).
 */
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
export function findReferenceFault(reference: string): string | undefined {
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

/** The key of an operation's handler: its reference, or the definition of its stand-in. */
export function handlerKeyOf({ handler, fixture, uriTemplates, responseMessage }: Named): string {
  return handler ?? `fixture ${JSON.stringify([uriTemplates, responseMessage, fixture])}`
}

/** Of an operation's definition. */
interface Named {
  readonly handler?: string | undefined
  readonly fixture?: unknown
  readonly uriTemplates: readonly string[]
  readonly responseMessage: unknown
}
