/**
 * The statements of stored responses for PostgreSQL (specification 26.4). A handler's transaction may be of a role
 * without rights on the gateway's tables: a function with the rights of its owner keeps the answer of the call that has
 * the claim, whose owner no SQL of the project can know.
 */
import { type RawBuilder, sql } from 'kysely'
import type { IdempotencyStatements } from './contract.ts'

const clock = 'extract(epoch from clock_timestamp())::float8 * 1000'

const held = sql`json_to_recordset(${''}) as held (key text, owner text)`

/** In the schema of the tables, whatever the search path of the caller: own transactions have it first. */
const inSchema = (statements: string) =>
  sql.raw(`do $do$ begin execute format($create$${statements}$create$, current_schema()); end $do$`)

export const postgresStatements = (schema: RawBuilder<unknown>): IdempotencyStatements => ({
  createClaims: [
    // Unlogged: claims mean nothing after a crash of the server, and a claim need not wait for the disk
    sql`create unlogged table if not exists ig_idempotency_claim
      (key text collate "C" primary key, owner text collate "C" not null, until double precision not null)`,
    // In PL/pgSQL, which keeps the plans of its statements. A scan of a whole table would conflict with every serializable
    // transaction that changes it
    inSchema(`
      create or replace function %1$I.ig_idempotency_seal(wanted text, held text, of_request text, at float8, until float8,
        of_operator text, code integer, bytes integer, kept bytea) returns boolean
      language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $seal$
      begin
        delete from %1$I.ig_idempotency_claim as claim where claim.key = wanted and claim.owner = held;
        if found then
          insert into %1$I.ig_idempotency as known (key, request, expires, operator, status, size, answer)
            values (wanted, of_request, until, of_operator, code, bytes, kept)
            on conflict (key) do update set request = excluded.request, expires = excluded.expires,
              operator = excluded.operator, status = excluded.status, size = excluded.size, answer = excluded.answer
            where known.expires <= at;
        end if;
        return found;
      end $seal$;
      grant execute on function %1$I.ig_idempotency_seal(text, text, text, float8, float8, text, integer, integer, bytea) to public`),
    // Each statement of a function that is not stable sees what was committed before it
    inSchema(`
      create or replace function %1$I.ig_idempotency_take(asked json)
      returns table (key text, owner text, request text, status integer, answer bytea)
      language plpgsql as $take$
      #variable_conflict use_column
      declare wanted record;
      begin
        for wanted in
          select * from json_to_recordset(asked) as each (key text, owner text, lease float8, now float8)
        loop
          insert into %1$I.ig_idempotency_claim as claim (key, owner, until)
            values (wanted.key, wanted.owner, ${clock} + wanted.lease)
            on conflict (key) do update set owner = excluded.owner, until = excluded.until where claim.until <= ${clock};
          owner := case when found then wanted.owner end;
          select known.request, known.status, known.answer into request, status, answer
            from %1$I.ig_idempotency as known where known.key = wanted.key and known.expires > wanted.now;
          key := wanted.key;
          return next;
        end loop;
      end $take$`),
  ],
  claim: sql`select * from ${schema}ig_idempotency_take(${''})`,
  release: sql`delete from ${schema}ig_idempotency_claim as claim using ${held} where claim.key = held.key and claim.owner = held.owner`,
  renew: sql`
    update ${schema}ig_idempotency_claim as claim set until = ${sql.raw(clock)} + ${0} from ${held}
    where claim.key = held.key and claim.owner = held.owner`,
  keep: sql`
    select from ${schema}ig_idempotency_seal(${''}, ${''}, ${''}, ${0}, ${0}, ${''}, ${0}, ${0}, ${''}) as kept where kept`,
  valuesOf: ({ key, owner, request, now, expires, operator, status, size, answer }) => [
    key,
    owner,
    request,
    now,
    expires,
    operator,
    status,
    size,
    answer,
  ],
  keepReleases: true,
})
