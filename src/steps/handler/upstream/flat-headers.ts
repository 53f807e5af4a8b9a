/** Headers of another server's answer: name in lower case, value… */
export type FlatHeaders = readonly string[]

/** All of its values. */
export function findHeader(headers: FlatHeaders, wanted: string): string | undefined {
  let found: string | undefined
  for (let at = 0; at < headers.length; at += 2)
    if (headers[at] === wanted) found = found === undefined ? headers[at + 1] : `${found}, ${headers[at + 1]}`
  return found
}

/** The headers that belong to the connection alone, as its header `Connection` names them. */
export function readConnectionNames(connection: string | string[] | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  return new Set(
    String(connection)
      .toLowerCase()
      .split(/[\s,]+/),
  )
}
