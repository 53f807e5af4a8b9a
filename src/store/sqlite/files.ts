/** The files of an SQLite database: their names, their damage, and renaming damaged ones (specification 23). */
import { existsSync, lstatSync, readlinkSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

/** Companion files of an open database. */
export const companions = ['-wal', '-shm'] as const

/** `data/gateway.sqlite` → `data/gateway-cache.sqlite` */
export function besides(path: string, purpose: string): string {
  const file = resolve(path)
  return join(dirname(file), `${basename(file, extname(file))}-${purpose}${extname(file)}`)
}

/** The target of a link, even if it does not exist. */
export function followLinks(file: string): string {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()
  return isLink ? followLinks(resolve(dirname(file), readlinkSync(file))) : file
}

export function isEmpty(file: string): boolean {
  return !statSync(file, { throwIfNoEntry: false })?.size
}

/**
 * The damage of a file, as far as it can be known without reading all of it; undefined if there is none. Its
 * write-ahead log may contain pages that are torn or missing in the file after a power failure: if it looks damaged,
 * both are read.
 * @param readsAll even if it looks whole: for a small file, and a process that can replace it
 */
export function examineFile(file: string, readsAll = false): string | undefined {
  if (isEmpty(file) || (!readsAll && looksWhole(file))) return undefined
  try {
    const found = readOnly(file, (database) => database.prepare('pragma quick_check(1)').get()?.quick_check)
    return found === 'ok' ? undefined : `its integrity check failed: ${String(found)}`
  } catch (error) {
    return isDamage(error) ? error.message : undefined // opening it reports the rest
  }
}

/** The file itself, without its log. */
function looksWhole(file: string): boolean {
  const alone = Object.assign(pathToFileURL(file), { search: '?immutable=1' })
  try {
    const size = readOnly(alone, readSize)
    return statSync(file).size >= size
  } catch {
    return false
  }
}

/** Committed bytes of a database, those in its log included; Infinity if unknown. */
export function sizeHeld(file: string): number {
  try {
    return readOnly(file, readSize)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** SQLITE_CORRUPT, SQLITE_NOTADB and their extended codes. */
export function isDamage(error: unknown): error is Error {
  const errcode = (error as { errcode?: unknown } | undefined)?.errcode
  return typeof errcode === 'number' && [11, 26].includes(errcode & 0xff)
}

/** Renames a file and its companions. @returns its new name */
export function setAside(file: string, why: string): string {
  const time = new Date().toISOString().replace(/\.\d+Z|[-:]/g, '')
  let aside = besides(file, `${why}-${time}`)
  for (let count = 2; existsSync(aside); count += 1) aside = besides(file, `${why}-${time}-${count}`)
  for (const part of ['', ...companions])
    if (existsSync(`${file}${part}`)) renameSync(`${file}${part}`, `${aside}${part}`)
  return aside
}

function readOnly<T>(file: string | URL, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    return read(database)
  } finally {
    database.close()
  }
}

function readSize(database: DatabaseSync): number {
  return readNumber(database, 'page_count') * readNumber(database, 'page_size')
}

function readNumber(database: DatabaseSync, pragma: string): number {
  return Number(database.prepare(`pragma ${pragma}`).get()?.[pragma])
}
