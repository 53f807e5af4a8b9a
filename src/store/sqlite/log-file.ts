/**
 * The write-ahead log of an SQLite file, forced to the disk by the gateway instead of by SQLite (specification 5.8, decisions
 * D-221): SQLite would do it within each commit, and nobody could write meanwhile. Commits that come while the disk is at
 * work share the next turn.
 */
import { close, closeSync, fdatasync, fsyncSync, openSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

export interface LogFile {
  /** What was committed before survives a failure of power. */
  sync(): Promise<void>
  close(): Promise<void>
}

const force = promisify(fdatasync)
const end = promisify(close)

/** @param database open, in the mode of a write-ahead log; to open the file itself would cost SQLite its locks */
export function openLogFile(database: string): LogFile {
  const file = realpathSync(database) // SQLite's log stands beside what a link points to
  const log = openSync(`${file}-wal`, 'r+') // some systems force nothing that was opened for reading
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder) // its name in the folder must survive as well
  closeSync(folder)
  let underWay: Promise<void> | undefined
  let next: Promise<void> | undefined

  function begin(): Promise<void> {
    next = undefined
    underWay = force(log).finally(() => {
      if (!next) underWay = undefined
    })
    return underWay
  }
  return {
    sync() {
      if (!underWay) return begin()
      next ??= underWay.then(begin)
      return next
    },
    async close() {
      await next
      await underWay
      await end(log)
    },
  }
}
