/**
 * The statements of jobs for PostgreSQL (specification 24.7). A run's transaction may be of a role without rights on the
 * gateway's tables: a function with the rights of its owner ends the run of the given token.
 */
import { type RawBuilder, sql } from 'kysely'
import type { JobStatements } from '../jobs/contract.ts'

const clock = 'extract(epoch from clock_timestamp())::float8 * 1000'

export const jobStatements = (schema: RawBuilder<unknown>): JobStatements => ({
  clock: sql.raw(`(${clock})`),
  create: [
    sql.raw(`do $do$ begin execute format($create$
      create or replace function %1$I.ig_job_seal(job text, held text, at double precision) returns text
      language sql security definer set search_path = pg_catalog, pg_temp as $seal$
        update %1$I.ig_job set token = null, ended = $3, outcome = 'succeeded', reason = null, version = version + 1
        where name = $1 and token = $2 and until > ${clock} returning name
      $seal$;
      grant execute on function %1$I.ig_job_seal(text, text, double precision) to public
    $create$, current_schema()); end $do$`),
  ],
  finalStatement: ({ name, token }, ended) => sql`
    select from ${schema}ig_job_seal(${name}, ${token}, ${ended}) as name where name is not null`,
})
