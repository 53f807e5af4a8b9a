/** Values of settings, masked for output (specification 8.2, 8.9). */
import { isSecretParameter, unescapeNames } from '../model/secret-name.ts'
import { database, postgresUrl } from './kinds.ts'
import type { Row } from './row.ts'

/** A secret is hidden, except for the URL of a database, which loses its password. */
export function mask({ isSecret, kind }: Pick<Row, 'isSecret' | 'kind'>, value: string): string {
  return isSecret && kind !== database && kind !== postgresUrl ? '***' : maskDatabase(value)
}

/** For output: a URL without its password and without secrets in its query. */
export function maskDatabase(database: string): string {
  return database
    .replace(/(\/\/[^:/?#]*):.*@/s, '$1:***@') // to the last @: a password may contain one that is not escaped
    .replace(/^(postgres(?:ql)?:(?:\/\/[^:/?#@[]*:(?!\d{1,5}(?:[/?#]|$))|(?!\/\/)))[^@]*$/is, '$1***') // the host is missing
    .replace(/([?&;])([^?&;=#]{1,200})=[^&#]*/g, (whole, mark, name) => {
      return isSecretParameter(unescapeNames(name)) ? `${mark}${name}=***` : whole
    })
}
