/**
 * Verifies certificates that a trusted proxy states in `Client-Cert` (specification 28.15). Each must be issued by one of
 * the certificates in `ig.tls.clientCa` itself: the header has no chain.
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'

export interface ClientAuthorities {
  /** @returns why the certificate is not valid, for the log; undefined: it is valid */
  findProblem(certificate: X509Certificate): string | undefined
}

/** @throws Error with the path of the file, if it cannot be read or used */
export function openClientAuthorities(file: string): ClientAuthorities {
  let authorities = readAuthorities(file)
  let version = versionOf(file)
  /** Changed files are used, unless they cannot be: then the previous ones stay in use. */
  const refresh = () => {
    try {
      const found = versionOf(file)
      if (found === version) return
      version = found
      authorities = readAuthorities(file)
    } catch {}
  }
  return {
    findProblem(certificate) {
      refresh()
      const { ca, keyUsage } = certificate
      const issuer = authorities.find((authority) => isIssuedBy(certificate, authority))
      if (!issuer) return 'Client-Cert was issued by none of the certificates in ig.tls.clientCa'
      if (![certificate, issuer].every(isCurrent)) return 'Client-Cert or its authority has expired or is not valid yet'
      if (ca) return 'Client-Cert is the certificate of an authority'
      if (keyUsage && !keyUsage.some((usage) => clientUsages.has(usage))) return 'Client-Cert is not for clients'
      return undefined
    },
  }
}

/** `clientAuth` and any usage (RFC 5280, 4.2.1.12). */
const clientUsages: ReadonlySet<string> = new Set(['1.3.6.1.5.5.7.3.2', '2.5.29.37.0'])

function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return authority.ca && certificate.checkIssued(authority) && certificate.verify(authority.publicKey)
}

function isCurrent({ validFromDate, validToDate }: X509Certificate): boolean {
  const now = Date.now()
  return validFromDate.getTime() <= now && now < validToDate.getTime()
}

/** Found by `stat` alone: it opens no file. */
function versionOf(file: string): string {
  const { ino, mtimeMs, size } = statSync(file)
  return `${ino} ${mtimeMs} ${size}`
}

function readAuthorities(file: string): readonly X509Certificate[] {
  const blocks = readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block))
  } catch {}
  throw Object.assign(new Error(`${file} has no certificates in PEM, or one that is malformed`), { path: file })
}
