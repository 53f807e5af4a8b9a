/** Where the sample issuer of `ig dev` is, and where projects register it (specification 9.16). */

export const sampleIssuerUrl = 'http://127.0.0.1:8090'

export function isOfSampleIssuer(url: string | undefined): boolean {
  return url === sampleIssuerUrl || url?.startsWith(`${sampleIssuerUrl}/`) === true
}
