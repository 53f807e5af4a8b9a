/**
 * Jobs as rows (specification 24.3, 24.7): when each ran last, who runs it now, and what was requested. A change
 * names the version of the row that was read, so that only one of several processes begins a run. A lease ends by the
 * database's clock.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { JobOutcome } from '../../model/observation.ts'
import type { ColumnTypes } from '../../store/database.ts'
import type { Databases } from '../../store/feature-tables.ts'
import type { Tables } from '../../store/tables.ts'
import { inTransaction } from '../../store/transaction.ts'
import type { AnyDatabase, JobRow, JobStore, Lease } from './contract.ts'
import { leaseTime } from './tables.ts'

/** For its turn, and in total, in milliseconds: a process that gets none looks again a second later. */
const wait = 1_000
const limit = 3_000

export function openJobs({ main: database }: Pick<Databases, 'main'>): JobStore {
  const { clock } = database.columnTypes
  const change = <Result>(work: (transaction: AnyDatabase) => Promise<Result>) =>
    inTransaction(database, work, wait, limit)
  /** Whether there was such a row, in that state. */
  const update = (row: Readonly<Record<string, unknown>>, values: object, state = sql<SqlBool>`true`) =>
    change(async (transaction) => {
      const found = transaction
        .updateTable('ig_job')
        .set(values)
        .where((where) => where.and(row))
      return (await found.where(state).returning('name').execute()).length > 0
    })
  const isFree = sql<SqlBool>`(token is null or until <= ${clock})`
  const isRunning = sql<SqlBool>`(token is not null and until > ${clock})`
  const next = sql<number>`version + 1`
  return {
    async list() {
      const rows = await database.reader
        .selectFrom('ig_job')
        .selectAll()
        .select(isRunning.as('running'))
        .orderBy('name')
        .execute()
      return rows.map(toRow)
    },
    plan: (name, { schedule, sequence, last }) =>
      change(async (transaction) => {
        const planned = sql<number>`${sequence ?? -1}`
        const isOlder = sequence === undefined ? sql<SqlBool>`true` : sql<SqlBool>`ig_job.sequence <= ${sequence}`
        await sql`
          insert into ig_job (name, version, schedule, sequence, last, attempt, until)
          values (${name}, 0, ${schedule}, ${planned}, ${last}, 0, 0)
          on conflict (name) do update set schedule = ${schedule}, sequence = ${planned}, last = ${last}, retry = null,
            version = ig_job.version + 1
          where ig_job.schedule <> ${schedule} and ${isOlder}`.execute(transaction)
      }),
    forget: (name, sequence) =>
      change(async (transaction) => {
        let removal = transaction
          .deleteFrom('ig_job')
          .where('name', '=', name)
          .where('schedule', '<>', '')
          .where(isFree)
        if (sequence !== undefined) removal = removal.where('sequence', '<=', sequence)
        await removal.execute()
      }),
    begin: ({ name, version }, { lease, ...run }) =>
      update({ name, version }, { ...run, until: sql`${clock} + ${lease}`, ...cleared, version: next }, isFree),
    renew: ({ name, token }) => update({ name, token }, { until: sql`${clock} + ${leaseTime}` }, isRunning),
    end: ({ name, token }, end) => update({ name, token }, { ...end, token: null, version: next }),
    giveUp: ({ name, version }, end) => update({ name, version }, { ...end, token: null, version: next }, isFree),
    skip: ({ name, version }, last) => update({ name, version }, { last, version: next }),
    request: (name, by, time) =>
      change(async (transaction) => {
        await sql`
          insert into ig_job (name, version, schedule, sequence, last, attempt, until, requested, requester)
          values (${name}, 0, '', -1, ${time}, 0, 0, ${time}, ${by})
          on conflict (name) do update set requested = ${time}, requester = ${by}, version = ig_job.version + 1`.execute(
          transaction,
        )
        return true
      }),
    finalStatementOf: (lease, ended) => finalStatement(lease, ended, database.columnTypes).compile(database.reader),
  }
}

/** Clears what belongs to the run before, and the request that this run answers. */
const cleared = { retry: null, requested: null, requester: null, ended: null, outcome: null, reason: null }

function toRow({ token, until, running, outcome, ...row }: Tables['ig_job'] & { readonly running: SqlBool }): JobRow {
  return { ...row, outcome: outcome as JobOutcome | null, hasBegun: token !== null, isRunning: Boolean(running) }
}

/**
 * Changes no row if the lease is lost; on PostgreSQL it fails then, and may be of a role without rights on the table. On
 * SQLite the transaction holds the file's write lock: until it ends no process can take the job over, and none can renew.
 */
function finalStatement({ name, token }: Lease, ended: number, { dbType, prefix }: ColumnTypes): RawBuilder<unknown> {
  return dbType === 'SQLITE'
    ? sql`
      update ig_job set token = null, ended = ${ended}, outcome = 'succeeded', reason = null, version = version + 1
      where name = ${name} and token = ${token}`
    : sql`select from ${prefix}ig_job_seal(${name}, ${token}, ${ended}) as name where name is not null`
}
