/** By which names a value is known to be a secret (specification 8.7). */

const anywhere =
  'passw|passphrase|passcode|pwd|secret|token|credential|authoriz|cookie|assertion|signature|hmac|session[-_]?id|' +
  'idempotency|saml[-_]?(?:request|response|art)|connection[-_]?string|code[-_]?verifier|(?:auth|device|reset)[-_]?code|' +
  '(?:api|private|access|account|subscription|functions|shared|signing|master|encryption)[-_]?key'
const whole = 'auth|pass|otp|totp|pin|cvv|cvc|jwt|sid|sig|psk'

const secretName = new RegExp(`${anywhere}|(?:^|[-_.:[])(?:${whole})(?:\\]|\\[\\w*\\])*$`, 'i')
/** Elsewhere these are names of data. */
const secretParameter = /^(?:key|code|ticket)$/i
const secretHeader = /[-_]key$/i

export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** Of a query or a form. */
export function isSecretParameter(name: string): boolean {
  return secretParameter.test(name) || secretName.test(name)
}

export function isSecretHeader(name: string): boolean {
  return secretHeader.test(name) || secretName.test(name)
}

/** A path and its query, as it is kept for people to read. */
export function hideSecretParameters(url: string): string {
  return url.replace(/([?&;])([^?=&;]{1,200})=[^&;]+/g, (whole, mark, name) => {
    return isSecretParameter(unescapeNames(name)) ? `${mark}${name}=[redacted]` : whole
  })
}

/** As their reader will see them: a query, JSON and XML may spell a name with escapes. */
export function unescapeNames(text: string): string {
  if (!escapes.test(text)) return text
  return text.replace(
    /%([\da-f]{2})|\\u([\da-f]{4})|&#x([\da-f]{2,4});|&#(\d{2,4});|\\[nrt]/gi,
    (whole, byte, unit, hex, decimal) => {
      if (whole.startsWith('\\') && unit === undefined) return '\n'
      return String.fromCharCode(decimal ? Number(decimal) : Number.parseInt(byte ?? unit ?? hex, 16))
    },
  )
}

const elsewhere = '-----BEGIN|(?:^|[?&;\\s]|u0026)(?:key|code|ticket)=|^x-[\\w-]+-key:'
const hint = new RegExp(`${anywhere}|(?<![a-z])(?:${whole})(?![a-z])|${elsewhere}`, 'im')
const escapedHint = new RegExp(`${anywhere}|${whole}|${elsewhere}`, 'im')
const escapes = /[%\\]|&#?\w{1,8};/

/** Quick, and true too often: in a text a name begins anywhere, where it was encoded more than once even behind a letter. */
export function mayHaveSecret(text: string): boolean {
  return escapes.test(text) ? escapedHint.test(unescapeNames(text)) : hint.test(text)
}
