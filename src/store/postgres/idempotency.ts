/**
 * The statements of kept answers for PostgreSQL (specification 26.4, 26.9). A handler's transaction may be of a role
 * without rights on the gateway's tables: a function with the rights of its owner keeps the answer of the call that has
 * the claim, whose owner no SQL of the project can know.
 */
import { sql } from 'kysely'
import type { IdempotencyStatements } from '../idempotency/contract.ts'

const clock = 'extract(epoch from clock_timestamp())::float8 * 1000'

const held = sql`json_to_recordset(${''}) as held (key text, owner text)`

/** In the schema of the tables, whatever the search path of the caller. */
const inSchema = (statements: string) =>
  sql.raw(`do $do$ begin execute format($create$${statements}$create$, current_schema()); end $do$`)

export const idempotencyStatements: IdempotencyStatements = {
  createClaims: [
    // Unlogged: claims mean nothing after a crash of the server, and a claim need not wait for the disk
    sql`create unlogged table if not exists ig_idempotency_claim
      (key text collate "C" primary key, owner text collate "C" not null, until double precision not null)`,
    inSchema(`
      create or replace function %1$I.ig_idempotency_keep(wanted text, held text, of_request text, at float8, until float8,
        code integer, bytes integer, kept bytea) returns text
      language sql security definer set search_path = pg_catalog, pg_temp as $keep$
        with claim as (delete from %1$I.ig_idempotency_claim where key = $1 and owner = $2 returning key)
        insert into %1$I.ig_idempotency as known (key, request, expires, status, size, answer)
        select key, $3, $5, $6, $7, $8 from claim
        on conflict (key) do update set request = excluded.request, expires = excluded.expires,
          status = excluded.status, size = excluded.size, answer = excluded.answer
        where known.expires <= $4
        returning key
      $keep$;
      grant execute on function %1$I.ig_idempotency_keep(text, text, text, float8, float8, integer, integer, bytea) to public`),
    // Each statement of a function that is not stable sees what was committed before it
    inSchema(`
      create or replace function %1$I.ig_idempotency_begin(wanted text, asker text, lease float8, at float8)
      returns table (claimed boolean, request text, status integer, answer bytea)
      language plpgsql as $begin$
      declare taken text;
      begin
        insert into %1$I.ig_idempotency_claim as claim (key, owner, until) values (wanted, asker, ${clock} + lease)
          on conflict (key) do update set owner = excluded.owner, until = excluded.until where claim.until <= ${clock}
          returning claim.owner into taken;
        return query select taken is not null, known.request, known.status, known.answer
          from (select 1) as one
          left join %1$I.ig_idempotency as known on known.key = wanted and known.expires > at;
      end $begin$`),
  ],
  claim: sql`
    select asked.key, case when begun.claimed then asked.owner end as owner, begun.request, begun.status, begun.answer
    from json_to_recordset(${''}) as asked (key text, owner text, lease float8, now float8),
      lateral ig_idempotency_begin(asked.key, asked.owner, asked.lease, asked.now) as begun`,
  release: sql`delete from ig_idempotency_claim as claim using ${held} where claim.key = held.key and claim.owner = held.owner`,
  renew: sql`
    update ig_idempotency_claim as claim set until = ${sql.raw(clock)} + ${0} from ${held}
    where claim.key = held.key and claim.owner = held.owner`,
  keep: sql`
    select key from ig_idempotency_keep(${''}, ${''}, ${''}, ${0}, ${0}, ${0}, ${0}, ${''}) as key where key is not null`,
  valuesOf: ({ key, owner, request, now, expires, status, size, answer }) => [
    key,
    owner,
    request,
    now,
    expires,
    status,
    size,
    answer,
  ],
  keepReleases: true,
}
