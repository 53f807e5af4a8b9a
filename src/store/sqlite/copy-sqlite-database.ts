/** A copy of a database that may be in use, in one file, checked and on the disk (specification 23.6). */
import { execFile } from 'node:child_process'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { packageModule } from '../../base/package-files.ts'
import { StoreUnavailable } from '../faults.ts'
import type { CheckedCopy } from './check-copy.ts'
import { isDamage } from './files.ts'
import { removeCopy } from './unfinished-copy.ts'

export interface CopyOptions {
  readonly signal: AbortSignal
  /** From 0 to 1. */
  readonly onProgress: (share: number) => void
}

/** Pages at a time. */
const portion = 1_000

/**
 * @param to is created, and removed again on failure
 * @throws StoreUnavailable if the copied file is damaged, or is not the database of a gateway
 */
export async function copySqliteDatabase(
  from: string,
  to: string,
  { signal, onProgress }: CopyOptions,
): Promise<CheckedCopy> {
  closeSync(openSync(to, 'wx', 0o600)) // only the owner may read password hashes
  try {
    const source = new DatabaseSync(from, { readOnly: true, timeout: 30_000 })
    try {
      // One read transaction for all of it: otherwise each commit of the gateway would restart the copy
      source.exec('begin; select count(*) from sqlite_schema')
      const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) => {
        signal.throwIfAborted()
        onProgress(1 - remainingPages / totalPages)
      }
      await backup(source, to, { rate: portion, progress })
    } finally {
      source.close()
    }
    signal.throwIfAborted()
    return await check(from, to, signal)
  } catch (error) {
    removeCopy(to)
    if (isDamage(error)) throw new StoreUnavailable(`${from} is damaged: ${error.message}`)
    throw error
  }
}

/** In a separate process, which can be killed: nothing interrupts SQLite's own check. */
async function check(from: string, to: string, signal: AbortSignal): Promise<CheckedCopy> {
  const script = packageModule('store/sqlite/check-copy')
  const run = promisify(execFile)(process.execPath, [script, to], { signal, killSignal: 'SIGKILL' })
  const copy = JSON.parse((await run).stdout) as CheckedCopy
  if (copy.damage !== null) throw new StoreUnavailable(`${from} is damaged: ${copy.damage}`)
  if (!copy.migrations) throw new StoreUnavailable(`${from} is not the database of a gateway`)
  const handle = openSync(to, 'r+')
  fsyncSync(handle)
  closeSync(handle)
  return copy
}
