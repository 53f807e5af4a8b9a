/** When the certificates of a listener expire (specification 20.4). */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * The earliest expiry: a chain is only as valid as each of its links.
 * @param file PEM
 * @returns Unix time in seconds; undefined for a missing file or one without certificates
 */
export function readCertificateExpiry(file: string): number | undefined {
  try {
    const certificates = readFileSync(file, 'utf8').match(
      /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g,
    )
    const times = (certificates ?? []).map((text) => Date.parse(new X509Certificate(text).validTo) / 1000)
    return times.length === 0 ? undefined : Math.min(...times)
  } catch {
    return undefined // the listener reports the error
  }
}
