/** The files of an SQLite database on the disk: their names, whether one is whole, and setting one aside (specification 23). */
import { existsSync, lstatSync, readlinkSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

/** What SQLite keeps beside a database while it is open. */
export const companions = ['-wal', '-shm'] as const

/** `data/gateway.sqlite` → `data/gateway-cache.sqlite` */
export function besides(path: string, purpose: string): string {
  const file = resolve(path)
  return join(dirname(file), `${basename(file, extname(file))}-${purpose}${extname(file)}`)
}

/** What a link leads to, also where nothing is there. */
export function followLinks(file: string): string {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()
  return isLink ? followLinks(resolve(dirname(file), readlinkSync(file))) : file
}

export function isEmpty(file: string): boolean {
  return !statSync(file, { throwIfNoEntry: false })?.size
}

/**
 * What is wrong with a file, as far as that can be known without reading all of it; undefined where nothing is. Pages that
 * are torn or missing may be in its write-ahead log, as a failure of power leaves them: where it looks damaged, both are read.
 */
export function examineFile(file: string): string | undefined {
  if (isEmpty(file) || looksWhole(file)) return undefined
  try {
    const found = readOnly(file, (database) => database.prepare('pragma quick_check(1)').get()?.quick_check)
    return found === 'ok' ? undefined : `its integrity check failed: ${String(found)}`
  } catch (error) {
    return isDamage(error) ? error.message : undefined // opening it reports the rest
  }
}

/** By itself, without its log. */
function looksWhole(file: string): boolean {
  const alone = Object.assign(pathToFileURL(file), { search: '?immutable=1' })
  try {
    const size = readOnly(alone, readSize)
    return statSync(file).size >= size
  } catch {
    return false
  }
}

/** How many bytes of a database were committed, those in its log among them; without end where that cannot be known. */
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

/** Renames a file and its companions. @returns what the file is called now */
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
