/** What an operation is called: its id, and its segment in URLs (specification 1.1, 2.1, 2.35). */

/** The version of an operation whose id and segment have none. */
export const unversioned = 'none'

/** `ECHO_GET.v1`; without a version `ECHO_GET`. */
export function operationIdOf(operation: {
  readonly name: string
  readonly method: string
  readonly version: string
}): string {
  return withVersion(`${operation.name}_${operation.method}`, operation.version)
}

/** `ECHO.v1`; without a version `echo`. */
export function segmentOf({ alias, version }: { readonly alias: string; readonly version: string }): string {
  return withVersion(alias, version)
}

export function withVersion(name: string, version: string): string {
  return version === unversioned ? name : `${name}.${version}`
}

/** `Person.V1` → Person and v1; `person` → person and none. */
export function splitVersion(text: string): { readonly name: string; readonly version: string } {
  const [, name, number] = /^(.*)\.v(\d+)$/is.exec(text) ?? []
  return name === undefined ? { name: text, version: unversioned } : { name, version: `v${number}` }
}
