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
const maxCharacters = 1000

export function describeCertificate({ fingerprint256, subject, issuer }: X509Certificate): ClientCertificate {
  return {
    fingerprint: writeFingerprint(fingerprint256),
    subject: `subject: ${subject.split('\n').join(', ')}; issuer: ${issuer.split('\n').join(', ')}`,
  }
}

/** In one notation; undefined if it names no certificate. */
export function parseCertificateName(text: string): string | undefined {
  if (text.length > maxCharacters || /\p{C}/u.test(text)) return undefined
  const [, digits] = /^sha256: ?((?:[\da-f]{2}:?){31}[\da-f]{2})$/i.exec(text) ?? []
  if (digits !== undefined) return writeFingerprint(digits)
  const [, ...names] = /^subject: ?(.+)(?<!\\); ?issuer: ?(.+)$/i.exec(text) ?? []
  const [subject, issuer] = names.map(parseName)
  return subject && issuer && `subject: ${subject}; issuer: ${issuer}`
}

function writeFingerprint(digits: string): string {
  return `sha256:${digits.replaceAll(':', '').toLowerCase()}`
}

/** OpenSSL escapes commas within a value, and blanks at its ends; some of its versions write them around the equals sign. */
function parseName(text: string): string | undefined {
  const parts = text.split(/(?<!\\), ?/).map((part) => part.replace(/^([\w.]+) ?= ?/, '$1='))
  return parts.every((part) => /^[\w.]+=[^ ](?:.*(?:[^ ]|\\ ))?$/.test(part)) ? parts.join(', ') : undefined
}
