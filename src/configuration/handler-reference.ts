/**
 * Where a class is: a module of the project and its export,
 * `handlers/key-value.ts#KeyValuePost` (specification 2.1, 24.1).
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
