/**
 * The claims of Idempotency-Keys, in a file that all processes share (specification 26.6). Each writes it in the thread of the
 * calls, because a statement takes less time than a message to a thread; it is small, and nothing waits for the disk
 * (decisions D-1148).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type CompiledQuery, Kysely } from 'kysely'
import { StoreUnavailable } from '../faults.ts'
import { ReadingDriver } from '../reading-driver.ts'
import type { Tables } from '../tables.ts'
import { isBusy, SqliteConnection, toQueryResult } from './connection.ts'
import { dialect } from './dialect.ts'
import { createFile } from './files.ts'
import { idempotencyStatements } from './idempotency.ts'

/** Milliseconds, for another process that is in the middle of a statement. */
const patience = 5_000

export interface ClaimsFile {
  readonly claims: Kysely<Tables>
  close(): void
}

export async function openClaimsFile(file: string): Promise<ClaimsFile> {
  let connection: SqliteConnection | undefined
  try {
    createFile(file)
    connection = new SqliteConnection({ file, isVolatile: true })
    const claims = askInProcess(connection)
    for (const statement of idempotencyStatements.createClaims) await statement.execute(claims)
    connection.execute('select count(*) from ig_idempotency_claim', []) // reads all pages: one may be damaged
    return { claims, close: () => connection?.close() }
  } catch (error) {
    connection?.close()
    throw new StoreUnavailable(`Cannot open the SQLite database ${file}: ${(error as Error).message}`, { cause: error })
  }
}

function askInProcess(connection: SqliteConnection): Kysely<Tables> {
  const execute = async ({ sql, parameters }: CompiledQuery) => {
    for (const end = performance.now() + patience; ; await sleep(1)) {
      try {
        return toQueryResult(connection.execute(sql, parameters))
      } catch (error) {
        if (!isBusy(error) || performance.now() > end) throw error
      }
    }
  }
  const stream = async function* (query: CompiledQuery) {
    yield await execute(query)
  }
  return new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => new ReadingDriver({ execute, stream }) } })
}
