/** Whether the connection to PostgreSQL is protected, as the driver interprets the URL (specification 8.4). */

import { isLoopback } from '../base/loopback.ts'
import { parsePostgresUrl } from '../base/postgres-url.ts'
import { findPairError } from '../tls/pair.ts'

/**
 * @param mode `PGSSLMODE`, which the driver uses if the URL has none
 * @returns a warning for the start; undefined if there is none, as for SQLite
 */
export function findTlsProblem(database: string, mode: string | undefined): string | undefined {
  const url = parsePostgresUrl(database)
  if (!url) return undefined
  const query = url.searchParams
  const [cert, key] = [query.get('sslcert'), query.get('sslkey')]
  const mismatch = cert !== null && key !== null && findPairError({ cert, key })
  if (mismatch) return `has a client certificate that cannot be used: ${mismatch}`
  const host = query.get('host') ?? decodeURIComponent(url.hostname)
  if (host === '' || host.startsWith('/') || isLoopback(host.replace(/^\[|\]$/g, ''))) return undefined
  const advice = 'Add sslmode=verify-full to the URL, and sslrootcert=<file> where the CA is your own'
  const ssl = query.get('ssl')
  const stated =
    query.get('sslmode') ?? (ssl === null ? mode : ssl === 'true' || ssl === '1' ? 'verify-full' : 'disable')
  const isLibpq = query.get('uselibpqcompat') === 'true' && /^(?:prefer|require)$/.test(stated ?? '')
  if (stated === 'no-verify' || (isLibpq && !query.has('sslrootcert')))
    return `does not verify the identity of ${host}: an attacker in between can read and change everything. ${advice}`
  if (stated !== undefined && stated !== 'disable') return undefined
  const certificates = ['sslcert', 'sslkey', 'sslrootcert'].some((key) => query.has(key)) && stated === undefined
  return certificates
    ? undefined
    : `is reached without TLS at ${host}: passwords and rows can be read in transit. ${advice}`
}
