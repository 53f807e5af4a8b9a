/** Values of settings, masked for output (specification 8.2, 8.9). */
import { isSecretParameter, unescapeNames } from '../model/secret-name.ts'

export function mask(key: string, value: string): string {
  return hidden.test(key) ? '***' : maskDatabase(value)
}

/** Whole values that are secrets, or contain one anywhere. */
const hidden =
  /^ig\.(?:secretKey|admin\.oidc\.clientSecret$|passThrough\.service\.password$|webhooks\.(?:urls|secret)$)/

/** For output: a URL without its password and without secrets in its query. */
export function maskDatabase(database: string): string {
  return database
    .replace(/(\/\/[^:/?#]*):.*@/s, '$1:***@') // to the last @: a password may contain one that is not escaped
    .replace(/^(postgres(?:ql)?:(?:\/\/[^:/?#@[]*:(?!\d{1,5}(?:[/?#]|$))|(?!\/\/)))[^@]*$/is, '$1***') // the host is missing
    .replace(/([?&;])([^?&;=#]{1,200})=[^&#]*/g, (whole, mark, name) => {
      return isSecretParameter(unescapeNames(name)) ? `${mark}${name}=***` : whole
    })
}
