/** The content security policy of the administration plane (specification 18.13, 19.2). */

/** @param nonce permits the styles that the console generates; inline scripts are never permitted */
export function writePolicy(nonce?: string): string {
  const styles = nonce === undefined ? '' : ` 'nonce-${nonce}'`
  return (
    `default-src 'none'; script-src 'self'; style-src 'self'${styles}; img-src 'self' data:; font-src 'self'; ` +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
  )
}
