/**
 * The write-ahead log of an SQLite file, synced by the gateway instead of by SQLite (specification 5.8). SQLite would do
 * it within each commit, during which no transaction could begin.
 */
import { closeSync, fdatasyncSync, fsyncSync, openSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'

export interface WriteAheadLog {
  /** Makes earlier commits survive a power failure. @throws if they may not; then no later commit is safe either */
  sync(): void
  close(): void
}

/**
 * @param database its log exists, and stays while a connection is open; opening the database file itself would release
 * SQLite's locks
 */
export function openWriteAheadLog(database: string): WriteAheadLog {
  const file = realpathSync(database) // SQLite's log is next to the target of a link
  const log = openSync(`${file}-wal`, 'r+') // some systems do not sync files opened for reading
  forceName(dirname(file))
  return { sync: () => fdatasyncSync(log), close: () => closeSync(log) }
}

/** Its directory entry must survive as well; on Windows a folder cannot be opened, and the entry survives anyway. */
export function forceName(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}
