/** Whether others may read a private key (specification 7.14): the rule of PostgreSQL for its own. */
import { statSync } from 'node:fs'

/** A group may read what belongs to root: so are keys shared with services, and mounted into containers. */
const tooMuch = { ofRoot: 0o037, ofUser: 0o077 }

/** @returns what is wrong with it; undefined also where there is no such file, which is told elsewhere */
export function findKeyFault(file: string): string | undefined {
  if (process.platform === 'win32') return undefined // its modes say nothing
  try {
    const { mode, uid } = statSync(file)
    if ((mode & (uid === 0 ? tooMuch.ofRoot : tooMuch.ofUser)) === 0) return undefined
    return `can be read or changed by other users (mode ${(mode & 0o777).toString(8)}): chmod 600 ${file}`
  } catch {
    return undefined
  }
}

/** What the settings name that holds keys or data, wherever it lies (specification 18.37). */
export function listSecretFiles({ database, tls, admin, lastGood }: SecretPlaces): readonly string[] {
  const isFile = !/^postgres(?:ql)?:/i.test(database)
  const files = [isFile ? database : undefined, tls?.key, admin?.tls?.key, lastGood.file]
  return files.filter((file) => file !== undefined)
}

interface SecretPlaces {
  readonly database: string
  readonly tls: { readonly key: string } | undefined
  readonly admin: { readonly tls: { readonly key: string } | undefined } | undefined
  readonly lastGood: { readonly file: string }
}
