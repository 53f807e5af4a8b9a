/** When the certificates of a listener expire (specification 20.4). */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * Of the first that does: a chain is worth nothing without any of its links.
 * @param file PEM
 * @returns Unix time in seconds; undefined where there is no certificate in it, or no file
 */
export function readCertificateExpiry(file: string): number | undefined {
  try {
    const certificates = readFileSync(file, 'utf8').match(
      /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g,
    )
    const times = (certificates ?? []).map((text) => Date.parse(new X509Certificate(text).validTo) / 1000)
    return times.length === 0 ? undefined : Math.min(...times)
  } catch {
    return undefined // the listener says what is wrong with it
  }
}
