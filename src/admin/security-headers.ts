/** The headers of every response of administration, with its content security policy (specification 18.13). */

export function securityHeaders(isSecure: boolean): Record<string, string> {
  return {
    'content-security-policy': writePolicy(),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'cache-control': 'no-store',
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

/** @param nonce permits the styles that the console generates; inline scripts are never permitted */
export function writePolicy(nonce?: string): string {
  const styles = nonce === undefined ? '' : ` 'nonce-${nonce}'`
  return (
    `default-src 'none'; script-src 'self'; style-src 'self'${styles}; img-src 'self' data:; font-src 'self'; ` +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
  )
}
