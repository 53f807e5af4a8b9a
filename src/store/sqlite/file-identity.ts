/**
 * Whether the files of an open database still stand at their paths. SQLite keeps writing to a file that was removed or
 * renamed, or that became shorter, and reports no error (specification 23.1, 23.2).
 */
import { type BigIntStats, realpathSync, statSync } from 'node:fs'
import { sizeHeld } from './files.ts'

/** The path at which another file, or none, stands by now; undefined where all are as they were opened. */
export type FindMissing = () => string | undefined

/** Code of an error in place of a commit's answer: its file does not stand at its path any more. */
export const fileGone = 'IG_FILE_GONE'

/** @param database open, and read from at least once: its write-ahead log and the index of that exist then */
export function rememberFiles(database: string): FindMissing {
  const file = realpathSync(database) // SQLite's other files are beside what a link points to
  const known = [database, `${file}-wal`, `${file}-shm`].map((path) => ({ path, identity: identify(path) }))
  return () => known.find(({ path, identity }) => identify(path) !== identity)?.path
}

/** As SQLite would say it, had it looked. */
export const cutShort = { message: 'it is truncated', errcode: 11 } as const

/**
 * Whether an open database became shorter than what it holds: it was cut off, and is the same file still. SQLite itself
 * shortens it to what it holds (`vacuum`).
 */
export function rememberSize(database: string): () => boolean {
  let known = 0
  return () => {
    const size = statSync(database, { throwIfNoEntry: false })?.size
    if (size === undefined) return false
    const isCut = size < known && (size === 0 || size < sizeHeld(database))
    if (!isCut) known = size
    return isCut
  }
}

/** An inode is not used again as long as a connection has it open. */
function identify(path: string): string | undefined {
  const stats: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}
