/** Headers of another server's answer: name in lower case, value… */
export type FlatHeaders = readonly string[]

/** All of its values. */
export function findHeader(headers: FlatHeaders, wanted: string): string | undefined {
  let found: string | undefined
  for (let at = 0; at < headers.length; at += 2)
    if (headers[at] === wanted) found = found === undefined ? headers[at + 1] : `${found}, ${headers[at + 1]}`
  return found
}
