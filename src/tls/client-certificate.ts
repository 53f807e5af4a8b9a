/**
 * The certificate of a client: of its TLS connection (specification 28.14), or as a trusted proxy states it (28.15). A stated
 * one must be issued by one of the certificates in `ig.tls.clientCa` itself: `Client-Cert` has no chain.
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import { isEncrypted } from '../base/node-tls.ts'
import { type ClientCertificate, describeCertificate } from '../model/certificate.ts'

/** @returns why there is none, for the log */
export function readTlsCertificate(socket: Socket): ClientCertificate | string {
  if (!isEncrypted(socket)) return 'the call came without TLS'
  const certificate = socket.getPeerX509Certificate()
  if (!certificate) return 'the client sent no certificate'
  if (!socket.authorized) return `the client's certificate is not valid: ${socket.authorizationError}`
  return describeCertificate(certificate)
}

export interface ClientAuthorities {
  /** @param value of `Client-Cert` (RFC 9440) @returns why there is no valid certificate, for the log */
  readHeader(value: string | undefined): ClientCertificate | string
}

/** @param file undefined: none is read @throws Error with the path of the file, if it cannot be read or used */
export function openClientAuthorities(file: string | undefined): ClientAuthorities | undefined {
  if (file === undefined) return undefined
  let authorities = readAuthorities(file)
  let version = versionOf(file)
  /** A changed file is used, unless it cannot be: then the previous authorities stay in use. */
  const refresh = () => {
    try {
      const found = versionOf(file)
      if (found === version) return
      version = found
      authorities = readAuthorities(file)
    } catch {}
  }
  return {
    readHeader(value) {
      if (value === undefined) return 'the trusted proxy states no Client-Cert'
      const certificate = parseHeader(value)
      if (!certificate) return 'Client-Cert is malformed'
      refresh()
      return findProblem(certificate, authorities) ?? describeCertificate(certificate)
    },
  }
}

function parseHeader(value: string): X509Certificate | undefined {
  const [, encoded] = /^:([A-Za-z\d+/]+={0,2}):$/.exec(value) ?? []
  try {
    return encoded === undefined ? undefined : new X509Certificate(Buffer.from(encoded, 'base64'))
  } catch {
    return undefined
  }
}

function findProblem(certificate: X509Certificate, authorities: readonly X509Certificate[]): string | undefined {
  const { ca, keyUsage } = certificate
  const issuer = authorities.find((authority) => isIssuedBy(certificate, authority))
  if (!issuer) return 'Client-Cert was issued by none of the certificates in ig.tls.clientCa'
  if (![certificate, issuer].every(isCurrent)) return 'Client-Cert or its authority has expired or is not valid yet'
  if (ca) return 'Client-Cert is the certificate of an authority'
  if (keyUsage && !keyUsage.some((usage) => clientUsages.has(usage))) return 'Client-Cert is not for clients'
  return undefined
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
