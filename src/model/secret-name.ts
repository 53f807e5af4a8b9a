/** The names that mark a value as secret (specification 8.7). */

const anywhere =
  'pass[-_. +]?(?:word|phrase|code)|passw|pwd|secret|token|credential|authoriz|cookie|assertion|signature|hmac|' +
  'sess(?:ion)?[-_. +]?id|idempotency|saml[-_]?(?:request|response|art)|connection[-_. +]?string|' +
  'code[-_. +]?verifier|(?:auth|device|reset)[-_. +]?code|' +
  '(?:api|private|access|account|subscription|functions|shared|signing|master|encryption|session|ssh|webhook)[-_. +]?key'
const whole = 'auth|pass|otp|totp|pin|cvv|cvc|jwt|sid|sig|psk'
/** A separate word within a name: `userPin`. */
const inner = `(?-i:(?<=[a-z\\d])(?:${whole.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())})(?![a-z]))`

const ending = '\\d{0,2}(?:\\]|\\[\\w*\\])*$'
const secretName = new RegExp(`${anywhere}|(?:(?:^|[-_.:[ +])(?:${whole})|${inner})${ending}`, 'i')
/** Elsewhere these are names of ordinary data. */
const secretParameter = /^\W*(?:key|code|ticket)(?:\W|\[\w*\])*$/i
const secretHeader = /[-_]key$/i
/** Random letters, not in the middle of a word; also after an escape. */
const webToken = /(?:(?<![A-Za-z\d])|(?<=%[\da-fA-F]{2}|\\[bfnrt]|\\u[\da-fA-F]{4}))eyJ[\w-]{16,}(?:\.[\w-]*){0,4}/g

export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** Whether a parameter of a query or a form is named like a secret. */
export function isSecretParameter(name: string): boolean {
  return secretParameter.test(name) || secretName.test(name)
}

export function isSecretHeader(name: string): boolean {
  return secretHeader.test(name) || secretName.test(name)
}

/** JSON Web Tokens, whatever they are called. */
export function hideWebTokens(text: string): string {
  return text.replace(webToken, '[redacted]')
}

/** Credentials that their own form reveals: those, and what follows a scheme. Not "Basic authentication". */
export function hideCredentials(text: string): string {
  return hideWebTokens(text).replace(schemeAndValue, '$1$2[redacted]')
}

const schemeAndValue =
  /\b([Bb]asic|[Bb]earer|BASIC|BEARER)(\s+|%20|\+)(?=\S{0,2000}(?:[\d=]|[a-z][A-Z]))[\w.~+/=%-]{4,}/g

/** A path and its query, as kept in logs. */
export function hideSecretParameters(url: string): string {
  return hideWebTokens(url).replace(/([?&;])([^?=&;]{1,200})=[^&;]+/g, (whole, mark, name) => {
    return isSecretParameter(unescapeNames(name)) ? `${mark}${name}=[redacted]` : whole
  })
}

/** In a text with URLs: their passwords, and their parameters with such names. */
export function hideUrlCredentials(text: string): string {
  return text
    .replace(/(:\/\/[^\s:/?#@"'<>]{0,256}):[^\s/?#@"'<>]{1,512}@/g, '$1:[redacted]@')
    .replace(/((?:[?&#]|&amp;)([\w.%[\]+-]{1,100})=)[^\s&#"'<>]+/g, (whole, start, name) =>
      isSecretParameter(unescapeNames(name)) ? `${start}[redacted]` : whole,
    )
}

/** As readers will decode them: a query, JSON and XML may escape a name, even twice. */
export function unescapeNames(text: string): string {
  if (!escapes.test(text)) return text
  return text.replace(
    /%(?:25)*([\da-f]{2})|\\u([\da-f]{4})|&#x([\da-f]{2,4});|&#(\d{2,4});|\\[nrt]/gi,
    (whole, byte, unit, hex, decimal) => {
      if (whole.startsWith('\\') && unit === undefined) return '\n'
      return String.fromCharCode(decimal ? Number(decimal) : Number.parseInt(byte ?? unit ?? hex, 16))
    },
  )
}

const elsewhere =
  '-----BEGIN|(?:^|[?&;#\\s+]|u0026|\\bname=["\']?)(?:key|code|ticket)(?:[^\\w&]{0,4}=|["\'\\s])|' +
  '(?<![\\w-])x-[\\w-]{1,100}-key:'
const hint = new RegExp(`${anywhere}|(?<![a-z])(?:${whole})(?![a-z])|${inner}|${elsewhere}`, 'im')
const escapedHint = new RegExp(`${anywhere}|${whole}|${elsewhere}`, 'im')
const escapes = /[%\\]|&#?\w{1,8};/

/** Fast, with false positives: in a text a name may begin anywhere, in double-encoded text even after a letter. */
export function mayHaveSecret(text: string): boolean {
  return escapes.test(text) ? escapedHint.test(unescapeNames(text)) : hint.test(text)
}
