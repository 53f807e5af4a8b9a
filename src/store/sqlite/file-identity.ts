/**
 * Whether the files of an open database are still at their paths. SQLite continues to write to a removed, renamed or
 * truncated file, and reports no error (specification 23.1, 23.2).
 */
import { type BigIntStats, realpathSync, statSync } from 'node:fs'
import { sizeHeld } from './files.ts'

/** The path that now has another file or none; undefined if all are as they were opened. */
export type FindMissing = () => string | undefined

/** Error code instead of a commit's answer: its file is no longer at its path. */
export const fileGone = 'IG_FILE_GONE'

/** @param database open, and read from at least once, so that its write-ahead log and that log's index exist */
export function rememberFiles(database: string): FindMissing {
  const file = realpathSync(database) // SQLite's other files are next to the target of a link
  const known = [database, `${file}-wal`, `${file}-shm`].map((path) => ({ path, identity: identify(path) }))
  return () => known.find(({ path, identity }) => identify(path) !== identity)?.path
}

/** The error that SQLite itself would report. */
export const cutShort = { message: 'it is truncated', errcode: 11 } as const

/**
 * Whether an open database is shorter than its content: the same file, truncated. SQLite itself shrinks it only to its
 * content (`vacuum`).
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

/** An inode is not reused while a connection has it open. */
function identify(path: string): string | undefined {
  const stats: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}
