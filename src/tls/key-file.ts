/** Whether others can read a private key (specification 7.14): PostgreSQL's rule for its own key. */
import { statSync } from 'node:fs'

/** Refused mode bits. A group may read a key of root: keys shared with services or mounted into containers need that. */
const refusedBits = { ofRoot: 0o037, ofUser: 0o077 }

/** @returns what is wrong with it; undefined also for a missing file, which other code reports */
export function findKeyProblem(file: string): string | undefined {
  if (process.platform === 'win32') return undefined // Windows has no such modes
  try {
    const { mode, uid } = statSync(file)
    if ((mode & (uid === 0 ? refusedBits.ofRoot : refusedBits.ofUser)) === 0) return undefined
    return `can be read or changed by other users (mode ${(mode & 0o777).toString(8)}): chmod 600 ${file}`
  } catch {
    return undefined
  }
}

/** Files with keys or data that the settings name, wherever they are (specification 18.37). */
export function listSecretFiles({ database, tls, admin }: SecretPlaces): readonly string[] {
  const isFile = !/^postgres(?:ql)?:/i.test(database)
  const files = [isFile ? database : undefined, tls?.key, admin?.tls?.key]
  return files.filter((file) => file !== undefined)
}

interface SecretPlaces {
  readonly database: string
  readonly tls: { readonly key: string } | undefined
  readonly admin: { readonly tls: { readonly key: string } | undefined } | undefined
}
