/** Values of settings as they are printed (specification 8.2, 8.9). */
import { isSecretParameter, unescapeNames } from '../model/secret-name.ts'
import { secretKeyName } from './secret-key.ts'

export function mask(key: string, value: string): string {
  return key === secretKeyName ? '***' : maskDatabase(value)
}

/** For printing: a URL without its password and without what its query calls a secret. */
export function maskDatabase(database: string): string {
  return database
    .replace(/(\/\/[^:/?#]*):.*@/s, '$1:***@') // to the last @: a password may hold one that was not escaped
    .replace(/^(postgres(?:ql)?:(?:\/\/[^:/?#@[]*:(?!\d{1,5}(?:[/?#]|$))|(?!\/\/)))[^@]*$/is, '$1***') // its host was forgotten
    .replace(/([?&;])([^?&;=#]{1,200})=[^&#]*/g, (whole, mark, name) => {
      return isSecretParameter(unescapeNames(name)) ? `${mark}${name}=***` : whole
    })
}
