/**
 * What the comparisons of shadow handlers have found, and the headers that pass-through left out, by operation (specification
 * 36.4, 36.17): a row for each, on SQLite in
 * the file of the cache, where no handler's transaction waits for it.
 */
import type { Databases } from '../../store/feature-tables.ts'
import { inTransaction } from '../../store/transaction.ts'

export interface ShadowRows {
  add(operation: string, found: ShadowFindings): Promise<void>
  list(): Promise<readonly ShadowRow[]>
  /** Restarts the count. @returns whether there was anything to remove */
  forget(operation: string): Promise<boolean>
}

export interface ShadowFindings {
  /** Calls that were compared. */
  readonly calls: number
  readonly differ: number
  /** Calls whose shadow did not run, or gave way. */
  readonly notRun: number
  /** The last ones that differ, the newest last. */
  readonly differing: readonly DifferingCall[]
  /** What the handler uses outside the database: `context.fetch`. */
  readonly outside: readonly string[]
  /** Headers that pass-through left out: `request x-custom`. */
  readonly leftOut: readonly string[]
}

export const noFindings: ShadowFindings = { calls: 0, differ: 0, notRun: 0, differing: [], outside: [], leftOut: [] }

export interface ShadowRow extends ShadowFindings {
  readonly operation: string
}

export interface DifferingCall {
  /** Epoch milliseconds. */
  readonly time: number
  readonly transactionId: string
  /** Method and URL, masked. */
  readonly call: string
  /** Where the answers differ, never the values: `status`, a header, `/person/name`. */
  readonly differences: readonly string[]
}

/** `1,204 calls, 3 differ` */
export function summariseShadow({
  calls,
  differ,
  notRun,
}: Pick<ShadowFindings, 'calls' | 'differ' | 'notRun'>): string {
  const write = (count: number) => count.toLocaleString('en-US')
  const left = notRun > 0 ? `, ${write(notRun)} not compared` : ''
  return `${write(calls)} ${calls === 1 ? 'call' : 'calls'}, ${write(differ)} ${differ === 1 ? 'differs' : 'differ'}${left}`
}

/** Calls of an operation that are kept because they differ. */
export const maxDiffering = 20
/** Names kept for one direction: callers choose them, so their number is limited. */
export const maxLeftOut = 100
/** Milliseconds for the turn of a transaction, and for all of it. */
const wait = 2_000
const limit = 4_000

export function openShadowRows({ cache: database }: Pick<Databases, 'cache'>): ShadowRows {
  return {
    add: (operation, found) =>
      inTransaction(
        database,
        async (transaction) => {
          const none = {
            calls: 0,
            differ: 0,
            not_run: 0,
            details: JSON.stringify({ differing: [], outside: [], leftOut: [] }),
          }
          await transaction
            .insertInto('ig_shadow')
            .values({ operation_id: operation, ...none })
            .onConflict((conflict) => conflict.column('operation_id').doNothing())
            .execute()
          const { details } = await transaction
            .updateTable('ig_shadow')
            .set(({ eb }) => ({
              calls: eb('calls', '+', found.calls),
              differ: eb('differ', '+', found.differ),
              not_run: eb('not_run', '+', found.notRun),
            }))
            .where('operation_id', '=', operation)
            .returning('details') // the row is locked from here on
            .executeTakeFirstOrThrow()
          const known = readDetails(details)
          const differing = [...known.differing, ...found.differing].slice(-maxDiffering)
          const outside = [...new Set([...known.outside, ...found.outside])]
          const all = [...new Set([...known.leftOut, ...found.leftOut])]
          const leftOut = ['request ', 'response '].flatMap((direction) =>
            all.filter((header) => header.startsWith(direction)).slice(0, maxLeftOut),
          )
          await transaction
            .updateTable('ig_shadow')
            .set({ details: JSON.stringify({ differing, outside, leftOut }) })
            .where('operation_id', '=', operation)
            .execute()
        },
        wait,
        limit,
      ),
    async list() {
      const rows = await database.reader.selectFrom('ig_shadow').selectAll().orderBy('operation_id').execute()
      return rows.map(({ operation_id: operation, calls, differ, not_run: notRun, details }) => ({
        operation,
        calls,
        differ,
        notRun,
        ...readDetails(details),
      }))
    },
    forget: (operation) =>
      inTransaction(
        database,
        async (transaction) => {
          const row = transaction.deleteFrom('ig_shadow').where('operation_id', '=', operation)
          return (await row.returning('operation_id').execute()).length > 0
        },
        wait,
        limit,
      ),
  }
}

function readDetails(details: string): Pick<ShadowFindings, 'differing' | 'outside' | 'leftOut'> {
  return JSON.parse(details)
}
