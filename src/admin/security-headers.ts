/** The headers of every response of administration (specification 18.13). */
import { writePolicy } from './content-security-policy.ts'

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
