/**
 * The history of metrics (specification 43.1 to 43.4): rows of minutes and hours, by operation and by process that
 * reports, so that no two processes write the same row. On SQLite in the file of the cache, where no handler's
 * transaction waits for them; they are read in the thread of its writer.
 */
import type { CompiledQuery, Kysely } from 'kysely'
import { executeAlone } from '../../store/execute-alone.ts'
import type { Databases } from '../../store/feature-tables.ts'
import type { Tables } from '../../store/tables.ts'
import { inTransaction } from '../../store/transaction.ts'
import {
  type MetricRow,
  type OperationTotal,
  type Piece,
  resolutions,
  rowsKept,
  type WrittenRow,
} from './metric-row.ts'

export interface MetricRows {
  /** Adds rows or replaces those with the same key, and removes expired ones. @param now of the database */
  write(writer: string, rows: readonly MetricRow[], now: number): Promise<void>
  /** Reads the rows of one operation, or with the empty string those of all calls, in order of time. */
  read(operation: string, pieces: readonly Piece[]): Promise<readonly WrittenRow[]>
  /** The sum of each operation, or of each of these, without the rows of all calls. */
  sum(pieces: readonly Piece[], operations?: readonly string[]): Promise<readonly OperationTotal[]>
  /** Reads the rows of some operations. */
  details(operations: readonly string[], pieces: readonly Piece[]): Promise<readonly WrittenRow[]>
  /** Adds the last steps of an instance; removes those older than `since`. */
  writeSteps(steps: readonly StepRow[], since: number): Promise<void>
  /** Reads the steps of all instances from that time on. */
  stepsSince(time: number): Promise<readonly StepRow[]>
}

export interface StepRow {
  readonly instance: string
  readonly time: number
  /** JSON. */
  readonly counts: string
}

/** Milliseconds for the turn of a transaction, and for all of it. */
const wait = 2_000
const limit = 4_000
const rowsOfStatement = 500
/** How much of the oldest rows one write removes at most, in rows of their time: a long stop leaves many. */
const removedAtOnce = 30

export function openMetricRows({ cache: database }: Databases): MetricRows {
  const { reader } = database
  const ask = async <Row>(query: CompiledQuery<Row>) => (await executeAlone(database, query, wait, limit)).rows
  const rowsIn = ({ resolution, from, to }: Piece) =>
    reader.selectFrom('ig_metric').where('resolution', '=', resolution).where('time', '>=', from).where('time', '<', to)
  const columns = [
    'resolution',
    'time',
    'operation',
    'writer',
    'calls',
    'refused',
    'failed',
    'slow',
    'seconds',
    'longest',
    'details',
  ] as const
  return {
    write: (writer, rows, now) =>
      inTransaction(
        database,
        async (transaction) => {
          for (let from = 0; from < rows.length; from += rowsOfStatement)
            await insert(transaction, writer, rows.slice(from, from + rowsOfStatement))
          await prune(transaction, now)
        },
        wait,
        limit,
      ),
    async read(operation, pieces) {
      const found: WrittenRow[] = []
      for (const piece of pieces) {
        const query = rowsIn(piece).select(columns).where('operation', '=', operation).orderBy('time')
        found.push(...(await ask(query.compile())).map(toWritten))
      }
      return found
    },
    async sum(pieces, operations) {
      const found: OperationTotal[] = []
      for (const piece of pieces) {
        const rows = rowsIn(piece)
        const query = (operations ? rows.where('operation', 'in', operations) : rows)
          .select(({ fn }) => [
            'operation',
            fn.sum<number>('calls').as('calls'),
            fn.sum<number>('refused').as('refused'),
            fn.sum<number>('failed').as('failed'),
            fn.sum<number>('slow').as('slow'),
            fn.sum<number>('seconds').as('seconds'),
          ])
          .where('operation', '!=', '')
          .groupBy('operation')
        found.push(...(await ask(query.compile())))
      }
      return found
    },
    async details(operations, pieces) {
      const found: WrittenRow[] = []
      for (const piece of operations.length > 0 ? pieces : []) {
        const query = rowsIn(piece).select(columns).where('operation', 'in', operations)
        found.push(...(await ask(query.compile())).map(toWritten))
      }
      return found
    },
    async writeSteps(steps, since) {
      const write = async (transaction: Kysely<Tables>) => {
        if (steps.length > 0) {
          await transaction
            .insertInto('ig_instance_step')
            .values([...steps])
            .onConflict((conflict) => conflict.columns(['time', 'instance']).doNothing())
            .execute()
        }
        await transaction.deleteFrom('ig_instance_step').where('time', '<', since).execute()
      }
      await inTransaction(database, write, wait, limit)
    },
    stepsSince: (time) => reader.selectFrom('ig_instance_step').selectAll().where('time', '>=', time).execute(),
  }
}

async function insert(transaction: Kysely<Tables>, writer: string, rows: readonly MetricRow[]): Promise<void> {
  await transaction
    .insertInto('ig_metric')
    .values(rows.map((row) => ({ ...row, writer })))
    .onConflict((conflict) =>
      conflict.columns(['resolution', 'time', 'operation', 'writer']).doUpdateSet(({ ref }) => ({
        calls: ref('excluded.calls'),
        refused: ref('excluded.refused'),
        failed: ref('excluded.failed'),
        slow: ref('excluded.slow'),
        seconds: ref('excluded.seconds'),
        longest: ref('excluded.longest'),
        details: ref('excluded.details'),
      })),
    )
    .execute()
}

async function prune(transaction: Kysely<Tables>, now: number): Promise<void> {
  for (const resolution of resolutions) {
    const oldest = await transaction
      .selectFrom('ig_metric')
      .select(({ fn }) => fn.min('time').as('time'))
      .where('resolution', '=', resolution)
      .executeTakeFirst()
    const before = Math.min(now - rowsKept[resolution], (oldest?.time ?? 0) + removedAtOnce * resolution * 1000)
    await transaction.deleteFrom('ig_metric').where('resolution', '=', resolution).where('time', '<', before).execute()
  }
}

function toWritten({ writer, ...row }: Tables['ig_metric']): WrittenRow {
  return { ...row, resolution: row.resolution as MetricRow['resolution'], instance: writer.replace(/\/[^/]*$/, '') }
}
