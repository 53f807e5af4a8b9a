/** What an SQLite file needs before it is opened: permissions, and to be there or not, as expected (specification 23.3, 23.10). */
import { findDenied } from '../../base/find-denied.ts'
import { StoreUnavailable } from '../faults.ts'
import { besides, isEmpty } from './files.ts'
import type { Installation } from './installation.ts'

/** SQLite itself does not say it. Its other files are made in the same folder. */
export function requireAccess(file: string): void {
  const denied = findDenied(file, 'write') ?? findDenied(`${file}-wal`, 'write')
  if (denied !== undefined) throw new StoreUnavailable(`Cannot open the SQLite database ${file}: ${denied}`)
}

/** @param isNew see SqliteOptions */
export function requireExpected(file: string, { isKnown }: Installation, isNew: boolean | undefined): void {
  const isThere = !isEmpty(file)
  if (isThere && isNew) throw new StoreUnavailable(`There is a database at ${file} already. Omit --new`)
  if (isThere || isNew || (!isKnown && isNew === undefined)) return
  const why = isKnown ? `although ${besides(file, 'id')} shows that there was one` : 'and --no-new forbids creating one'
  throw new StoreUnavailable(
    `There is no SQLite database at ${file}, ${why}.\n` +
      'Mount its volume or put the file back; restore a backup with ig restore <file>; or start with an empty database: --new',
  )
}
