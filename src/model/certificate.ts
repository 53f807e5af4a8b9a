/** Client certificates, and the names by which operators' records know them (specification 28.13, 28.16). */
import type { X509Certificate } from 'node:crypto'

export interface ClientCertificate {
  /** `sha256:<64 hex digits>` */
  readonly fingerprint: string
  /** `subject: C=DE, O=Example, CN=kim; issuer: O=Example, CN=Example CA` */
  readonly subject: string
}

export const certificateRule =
  'must be sha256: and the fingerprint of the certificate, or subject: <name>; issuer: <name>, such as subject: O=Example, CN=kim; issuer: O=Example, CN=Example CA'
const mostCharacters = 1000

export function describeCertificate({ fingerprint256, subject, issuer }: X509Certificate): ClientCertificate {
  return {
    fingerprint: writeFingerprint(fingerprint256),
    subject: `subject: ${writeName(subject, '\n')}; issuer: ${writeName(issuer, '\n')}`,
  }
}

/** In one notation; undefined if it names no certificate. */
export function parseCertificateName(text: string): string | undefined {
  if (text.length > mostCharacters || /\p{C}/u.test(text)) return undefined
  const [, digits] = /^sha256: ?((?:[\da-f]{2}:?){31}[\da-f]{2})$/i.exec(text.trim()) ?? []
  if (digits !== undefined) return writeFingerprint(digits)
  const [, subject = '', issuer = ''] = /^subject: ?(.*\S)\s*(?<!\\); ?issuer: ?(.+)$/i.exec(text.trim()) ?? []
  if (!isName(subject) || !isName(issuer)) return undefined
  return `subject: ${writeName(subject, ',')}; issuer: ${writeName(issuer, ',')}`
}

function writeFingerprint(digits: string): string {
  return `sha256:${digits.replaceAll(':', '').toLowerCase()}`
}

/** OpenSSL escapes commas within a value; some of its versions write spaces around the equals sign. */
function writeName(text: string, separator: ',' | '\n'): string {
  const parts = separator === ',' ? text.split(/(?<!\\),/) : text.split('\n')
  return parts.map((part) => part.trim().replace(/^([\w.]+) ?= ?/, '$1=')).join(', ')
}

function isName(text: string): boolean {
  return text.split(/(?<!\\),/).every((part) => /^\s*[\w.]+ ?= ?\S/.test(part))
}
