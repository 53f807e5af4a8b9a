/** Names of unfinished copies, and the removal of those that killed processes left (specification 23.6). */
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from './connection.ts'
import { companions } from './files.ts'

/** The unfinished copy of this process. */
export function unfinishedCopyOf(file: string): string {
  return `${file}.${process.pid}.tmp`
}

export function removeCopy(copy: string): void {
  for (const part of ['', '-journal', ...companions]) rmSync(`${copy}${part}`, { force: true })
}

/** Removes those of the same file, unless another process of this machine or container may still write them. */
export function removeAbandonedCopies(file: string): void {
  const folder = dirname(file)
  for (const name of readdirSync(folder)) {
    const [, pid] = name.startsWith(basename(file))
      ? (/^\.(\d+)\.tmp$/.exec(name.slice(basename(file).length)) ?? [])
      : []
    if (pid !== undefined && !isRunning(Number(pid)) && !isLocked(join(folder, name))) removeCopy(join(folder, name))
  }
}

/** In a container each process has the same id as the one before. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Whether the process that writes the copy still holds its lock. */
function isLocked(copy: string): boolean {
  const database = new DatabaseSync(copy, { timeout: 0 })
  try {
    database.exec('begin exclusive; rollback')
    return false
  } catch (error) {
    return isBusy(error)
  } finally {
    database.close()
  }
}
