/** The URL of a PostgreSQL database, as libpq and the driver accept it (specification 8.4). */

/** For errors about an invalid URL: the URL itself is never shown. */
export const postgresUrlForm =
  'postgres://user:password@host:port/name, or postgres://user:password@/name?host=/run/postgresql for a Unix socket; ' +
  'one host, and in user and password the characters / ? # @ % as %2F %3F %23 %40 %25'

/**
 * A password that is not percent-encoded: the part from its `/`, `?` or `#` on would be read as host, name or
 * parameter.
 */
const strayAt = /^[^?]*@|^[^=]*@|#.*@/s

/** @returns undefined for an invalid URL. Without a host, the driver uses the parameter `host`, or this machine */
export function parsePostgresUrl(text: string): URL | undefined {
  const [, rest] = /^postgres(?:ql)?:\/\/[^/?#]*(.*)$/is.exec(text) ?? []
  if (rest === undefined || strayAt.test(rest)) return undefined
  return URL.parse(text) ?? URL.parse(text.replace('@/', '@localhost/')) ?? undefined // a WHATWG URL cannot have a user without a host
}
