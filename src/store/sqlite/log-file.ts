/**
 * The write-ahead log of an SQLite file, forced to the disk by the gateway instead of by SQLite (specification 5.8, decisions D-221).
 * SQLite would do it within each commit, and nobody could begin meanwhile.
 */
import { closeSync, fdatasyncSync, fsyncSync, openSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'

export interface LogFile {
  /** What was committed before survives a failure of power. @throws where it may not; then nothing more can be promised */
  sync(): void
  close(): void
}

/** @param database its log exists, and stays as long as a connection is open; to open the database itself would cost SQLite its locks */
export function openLogFile(database: string): LogFile {
  const file = realpathSync(database) // SQLite's log stands beside what a link points to
  const log = openSync(`${file}-wal`, 'r+') // some systems force nothing that was opened for reading
  forceName(dirname(file))
  return { sync: () => fdatasyncSync(log), close: () => closeSync(log) }
}

/** Its name in the folder must survive as well; on Windows a folder cannot be opened, and the name does. */
export function forceName(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}
