/** Replaces the database with a backup, atomically (specification 23.7). */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openAudit } from '../administration/audit.ts'
import type { NewAuditEntry } from '../administration/contract.ts'
import { StoreUnavailable } from '../faults.ts'
import { mainMigrations } from '../gateway-migrations.ts'
import { migrateGateway } from '../migrations.ts'
import { isBusy } from './connection.ts'
import { type CopyOptions, copySqliteDatabase } from './copy-sqlite-database.ts'
import { besides, companions, examineFile, followLinks, isEmpty, setAside } from './files.ts'
import { claimInstallation } from './installation.ts'
import { openFile } from './open-sqlite.ts'
import { forceName } from './write-ahead-log.ts'

/** @returns the new name of the former database; undefined if there was none */
export async function restoreDatabase(
  from: string,
  database: string,
  entry: NewAuditEntry,
  options: CopyOptions,
): Promise<string | undefined> {
  const claim = claimInstallation(database)
  if (!claim || isInUse(database)) {
    claim?.release()
    throw new StoreUnavailable(
      `${database} is in use. Stop the gateway and every other program that uses it, and try again`,
    )
  }
  const file = followLinks(database) // a link stays; SQLite keeps the log next to its target
  const copy = besides(file, 'restoring')
  try {
    rmSync(copy, { force: true }) // of a killed restore
    const { migrations } = await copySqliteDatabase(from, copy, options)
    const unknown = migrations?.filter((name) => !mainMigrations.some((migration) => migration.name === name)) ?? []
    if (unknown.length > 0)
      throw new StoreUnavailable(`${from} is newer than this gateway: it has the migration ${unknown.join(', ')}`)
    await append(copy, entry)
    const former = replace(file, { copy, cache: besides(database, 'cache') })
    claim.record()
    return former
  } finally {
    rmSync(copy, { force: true })
    claim.release()
  }
}

/** In the backup itself, so that the entry exists with it and follows all of its entries. */
async function append(copy: string, entry: NewAuditEntry): Promise<void> {
  const opened = await openFile({ file: copy, isDurable: true })
  try {
    await migrateGateway(opened, mainMigrations)
    await openAudit(opened).append(entry)
  } finally {
    await opened.close()
  }
}

/** Also by programs that do not know the installation's lock: the previous version, SQLite's own shell. */
function isInUse(file: string): boolean {
  if (isEmpty(file) || examineFile(file) !== undefined) return false
  const probe = new DatabaseSync(file, { timeout: 0 })
  try {
    probe.exec('pragma locking_mode=exclusive; begin exclusive; rollback')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    return false // damaged, and about to be replaced
  } finally {
    probe.close()
  }
}

/**
 * Moves the former database away first, as a whole: after an interruption there is no database at the path, which a
 * start refuses (23.3), and never a new one with an old log.
 */
function replace(
  database: string,
  { copy, cache }: { readonly copy: string; readonly cache: string },
): string | undefined {
  const folder = dirname(database)
  const former = existsSync(database) ? setAside(database, 'before-restore') : undefined
  // A log without its database would be applied to the new one; cached data may be newer than the backup
  for (const part of companions) rmSync(`${database}${part}`, { force: true })
  for (const part of ['', ...companions]) rmSync(`${cache}${part}`, { force: true })
  forceName(folder)
  renameSync(copy, database)
  forceName(folder)
  return former
}
