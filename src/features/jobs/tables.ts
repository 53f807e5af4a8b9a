/** The table of jobs (specification 24.3, 24.7). */
import { sql } from 'kysely'
import type { FeatureTables } from '../../store/feature-tables.ts'

declare module '../../store/tables.ts' {
  interface Tables {
    /** A job, its last run, and the lease of the process that runs it: times of the database in epoch milliseconds. */
    ig_job: {
      name: string
      version: number
      schedule: string
      sequence: number
      last: number
      due: number | null
      attempt: number
      retry: number | null
      requested: number | null
      requester: string | null
      /** Token of the lease; null if the job does not run. */
      token: string | null
      until: number
      run: string | null
      instance: string | null
      begun: number | null
      ended: number | null
      outcome: string | null
      reason: string | null
    }
  }
}

/** Milliseconds that a process holds a job without renewing its lease. */
export const leaseTime = 15_000

export const mainTables: FeatureTables = {
  async create(database, { text, dbType }) {
    await sql`create table ig_job (
      name ${text} primary key, version bigint not null, schedule text not null, sequence bigint not null,
      last double precision not null, due double precision, attempt integer not null,
      retry double precision, requested double precision, requester text, token text,
      until double precision not null, run text, instance text, begun double precision,
      ended double precision, outcome text, reason text)`.execute(database)
    if (dbType === 'POSTGRESQL') await createSeal.execute(database)
  },
  times: [
    {
      table: 'ig_job',
      times: { last: 0, begun: 0, ended: 0, requested: 0, until: leaseTime },
      with: { column: 'retry', where: 'ended' },
      version: 'version',
    },
  ],
}

/** Ends the run of the given token with the rights of the table's owner; it may run again. */
const createSeal = sql.raw(`do $do$ begin execute format($create$
  create or replace function %1$I.ig_job_seal(job text, held text, at double precision) returns text
  language sql security definer set search_path = pg_catalog, pg_temp as $seal$
    update %1$I.ig_job set token = null, ended = $3, outcome = 'succeeded', reason = null, version = version + 1
    where name = $1 and token = $2 and until > extract(epoch from clock_timestamp())::float8 * 1000 returning name
  $seal$;
  grant execute on function %1$I.ig_job_seal(text, text, double precision) to public
$create$, current_schema()); end $do$`)
