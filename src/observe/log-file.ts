/**
 * A log file: appended to in the background, rotated by size, with older files under numbers (specification 8.6).
 * Writing never waits and never throws; a full disk or a missing permission costs log entries, never a call. Several
 * processes may write one file: entries are appended whole, and a lock protects creation and rotation.
 */

import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setTimeout } from '../base/timers.ts'

export interface LogFileOptions {
  readonly path: string
  /** Maximum size in bytes. */
  readonly maxSize: number
  readonly maxBackupFiles: number
  /** Text at the top of each file. */
  readonly head: string
  /** Called once, until writing works again. */
  readonly onTrouble: (message: string) => void
  /** An entry that replaces a number of dropped ones; none if omitted. */
  readonly writeDropped?: (count: number) => string
}

export interface LogFile {
  write(entry: string): void
  /** Why the last entries could not be written. */
  readonly trouble: string | undefined
  /** Entries dropped because the disk was too slow or failed. */
  readonly dropped: number
  /** Writes what is pending. */
  close(): Promise<void>
}

/** Maximum pending characters for a slow disk; beyond it, entries are dropped. */
const maxPending = 8 * 1024 ** 2
/**
 * The size is checked before each batch: each other process may write one in between, so a file may exceed its limit by
 * that.
 */
const batchesOfFile = 16
/** Milliseconds until a failed file is tried again, with or without pending entries. */
const retryEvery = 1000

export function openLogFile(options: LogFileOptions): LogFile {
  const { path, maxSize, onTrouble } = options
  let pending: string[] = []
  let pendingSize = 0
  let dropped = 0
  /** Dropped entries that the file does not mention yet. */
  let unreported = 0
  let writing: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
  let opened: { readonly handle: FileHandle; readonly inode: number; size: number } | undefined
  let trouble: string | undefined

  const drop = (count: number) => {
    dropped += count
    unreported += count
  }

  const start = () => {
    writing ??= drain().finally(() => {
      writing = undefined
    })
  }

  const drain = async () => {
    do {
      const entries = pending
      pending = []
      pendingSize = 0
      const reporting = options.writeDropped ? unreported : 0
      if (options.writeDropped && reporting > 0) entries.push(options.writeDropped(reporting))
      let written = 0
      try {
        for (const batch of cutBatches(entries, maxSize / batchesOfFile)) {
          await append(Buffer.from(batch.join('')))
          written += batch.length
        }
        unreported -= reporting
        trouble = undefined
      } catch (error) {
        const message = `${path} cannot be written; log entries are lost: ${(error as Error).message}`
        if (trouble === undefined) onTrouble(message)
        trouble = message
        drop(entries.length - written - (reporting > 0 ? 1 : 0))
        await closeFile()
        if (options.writeDropped) retryLater()
      }
    } while (pending.length > 0)
  }

  /** Writes the entry about dropped ones: a file on a full disk can be opened, but not written. */
  const retryLater = () => {
    retry ??= setTimeout(() => {
      retry = undefined
      start()
    }, retryEvery).unref()
  }

  const append = async (batch: Buffer) => {
    let file = await requireFile()
    while (file.size > Buffer.byteLength(options.head) && file.size + batch.length > maxSize) {
      const { inode } = file
      await closeFile()
      await alone(path, () => rotate(options, inode))
      file = await requireFile()
    }
    await file.handle.appendFile(batch)
  }

  /** Reopened after another process, or an administrator, has moved the file away. */
  const requireFile = async () => {
    const found = await stat(path).catch(() => undefined)
    if (opened && opened.inode === found?.ino) {
      opened.size = found.size
      return opened
    }
    await closeFile()
    await mkdir(dirname(path), { recursive: true })
    if (!found?.size) await alone(path, () => begin(options))
    const handle = await openAppending(path)
    const { ino, size } = await handle.stat()
    opened = { handle, inode: ino, size }
    return opened
  }

  const closeFile = async () => {
    const { handle } = opened ?? {}
    opened = undefined
    await handle?.close().catch(() => {})
  }

  return {
    get trouble() {
      return trouble
    },
    get dropped() {
      return dropped
    },
    write(entry) {
      if (pendingSize + entry.length > maxPending) {
        drop(1)
        return
      }
      pending.push(entry)
      pendingSize += entry.length
      start()
    },
    async close() {
      while (writing) await writing
      clearTimeout(retry)
      retry = undefined
      await closeFile()
    },
  }
}

/**
 * As many entries as fit, and at least one. @param maxSize in characters: counting bytes costs as much as writing them
 */
function* cutBatches(entries: readonly string[], maxSize: number): Generator<readonly string[]> {
  let batch: string[] = []
  let size = 0
  for (const entry of entries) {
    const { length } = entry
    if (batch.length > 0 && size + length > maxSize) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(entry)
    size += length
  }
  if (batch.length > 0) yield batch
}

function openAppending(path: string): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_WRONLY } = constants
  return open(path, O_APPEND | O_CREAT | O_WRONLY, 0o640)
}

/** A process that died leaves its lock behind; no rotation takes this long. In milliseconds. */
const maxWork = 5000

/** One process at a time, by a file that is created exclusively. */
async function alone(path: string, work: () => Promise<void>): Promise<void> {
  const mark = `${path}.lock`
  const end = performance.now() + maxWork
  while (!(await make(mark))) {
    if (performance.now() > end) await rm(mark, { force: true })
    await sleep(5)
  }
  try {
    await work()
  } finally {
    await rm(mark, { force: true })
  }
}

async function make(file: string): Promise<boolean> {
  try {
    await (await open(file, 'wx')).close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function begin({ path, head }: LogFileOptions): Promise<void> {
  const handle = await openAppending(path)
  try {
    if ((await handle.stat()).size === 0) await handle.appendFile(head)
  } finally {
    await handle.close()
  }
}

/**
 * Renames `msgLog.html` to `msgLog.1.html`, that one to `msgLog.2.html`, and deletes the last; unless another process
 * did.
 */
async function rotate({ path, maxBackupFiles }: LogFileOptions, full: number): Promise<void> {
  if ((await stat(path).catch(() => undefined))?.ino !== full) return
  const extension = extname(path)
  const numbered = (number: number) => join(dirname(path), `${basename(path, extension)}.${number}${extension}`)
  if (maxBackupFiles === 0) return rm(path, { force: true })
  for (let number = maxBackupFiles - 1; number >= 1; number--) {
    await rename(numbered(number), numbered(number + 1)).catch(ignoreMissing)
  }
  await rename(path, numbered(1)).catch(ignoreMissing)
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
