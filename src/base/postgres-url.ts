/** The URL of a PostgreSQL database, as libpq and the driver take it (specification 8.4). */

/** What an error says of one that is none: the URL itself is never shown. */
export const postgresUrlForm =
  'postgres://user:password@host:port/name, or postgres://user:password@/name?host=/run/postgresql for a Unix socket; ' +
  'one host, and in user and password the characters / ? # @ % as %2F %3F %23 %40 %25'

/** A password that is not percent-encoded, and would be taken for a host, a name or a parameter from its `/`, `?` or `#` on. */
const strayAt = /^[^?]*@|^[^=]*@|#.*@/s

/** @returns undefined where it is none. Where it has no host, the driver asks the parameter `host`, or takes this machine */
export function parsePostgresUrl(text: string): URL | undefined {
  const [, rest] = /^postgres(?:ql)?:\/\/[^/?#]*(.*)$/is.exec(text) ?? []
  if (rest === undefined || strayAt.test(rest)) return undefined
  return URL.parse(text) ?? URL.parse(text.replace('@/', '@localhost/')) ?? undefined // no URL of WHATWG has a user and no host
}
