/** Headers that no one but the gateway writes towards another server, and back (specification 36.4). */
import { isCredentialHeader } from './verification.ts'

/** Of the connection, or the gateway's to write; credentials and cookies pass as `credentials` and `cookies` say. */
const reserved =
  /^(?:connection|keep-alive|proxy-.+|te|trailer|transfer-encoding|upgrade|http2-settings|content-length|host|expect|date|via|forwarded|x-forwarded-.+|traceparent|tracestate|ig-.+|cookie|set-cookie)$/i

/** Programs behind many servers read an underscore as a hyphen. */
export function isReservedHeader(name: string): boolean {
  return reserved.test(name.replaceAll('_', '-')) || isCredentialHeader(name)
}
