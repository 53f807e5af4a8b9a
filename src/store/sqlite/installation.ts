/**
 * A file next to the database, `gateway-id.sqlite`: it records that a database exists (specification 23.3), and every
 * process that has the database open holds a lock on it, so that none is restored meanwhile (23.6).
 */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../faults.ts'
import { isBusy } from './connection.ts'
import { besides, isDamage, isEmpty, setAside } from './files.ts'

export interface Installation {
  /** A database existed before. */
  readonly isKnown: boolean
  /** Records that a database exists. */
  record(): void
  close(): void
}

/** Milliseconds: waits for a restore about to finish, and for another process that records. */
const patience = 5_000
const recordPatience = 50

export function openInstallation(database: string): Installation {
  const file = besides(database, 'id')
  const wasThere = existsSync(file)
  let shared = wasThere ? share(file) : undefined
  return {
    isKnown: wasThere && (shared === undefined || isRecorded(shared)),
    record() {
      const end = Date.now() + patience
      while (!shared || !isRecorded(shared)) {
        shared?.close() // recording needs exclusive access
        if (Date.now() > end) throw new StoreUnavailable(`${file} is locked by another process`)
        tryRecord(file)
        shared = share(file)
      }
    },
    close: () => shared?.close(),
  }
}

export interface Claim {
  /** Records that a database exists. */
  record(): void
  release(): void
}

/** The exclusive lock of all processes. Undefined if one has the database open. */
export function claimInstallation(database: string): Claim | undefined {
  const file = besides(database, 'id')
  const claimed = openLocked(file, 500)
  try {
    claimed.exec('begin exclusive')
  } catch (error) {
    claimed.close()
    if (isBusy(error)) return undefined
    if (!isDamage(error)) throw error
    setAside(file, 'damaged')
    return claimInstallation(database)
  }
  return {
    record: () => claimed.exec(`${createTable}; commit; begin exclusive`),
    release: () => claimed.close(),
  }
}

const createTable = "create table if not exists ig_installation as select datetime('now') as made"

/** An open read transaction is a shared lock. @returns undefined if the file was damaged, and was renamed */
function share(file: string): DatabaseSync | undefined {
  const shared = openLocked(file, patience)
  try {
    shared.exec('begin')
    isRecorded(shared)
    return shared
  } catch (error) {
    shared.close()
    if (isBusy(error))
      throw new StoreUnavailable(
        `A restore of this database is in progress (it holds ${file}). Try again when it has finished`,
      )
    if (!isDamage(error)) throw error
    setAside(file, 'damaged')
    return undefined
  }
}

function tryRecord(file: string): void {
  const recorder = openLocked(file, recordPatience)
  try {
    recorder.exec('pragma journal_mode=memory; pragma synchronous=off') // its content can be recreated
    recorder.exec(createTable)
  } catch (error) {
    if (!isBusy(error)) throw error // another process records
  } finally {
    recorder.close()
  }
}

function openLocked(file: string, timeout: number): DatabaseSync {
  if (isEmpty(file)) {
    mkdirSync(dirname(file), { recursive: true })
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  }
  return new DatabaseSync(file, { timeout })
}

function isRecorded(database: DatabaseSync): boolean {
  return database.prepare("select 1 from sqlite_schema where name = 'ig_installation'").get() !== undefined
}
