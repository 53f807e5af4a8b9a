/** The statements of stored responses for SQLite (specification 26.4). */
import { sql } from 'kysely'
import { clock } from '../../store/sqlite/clock.ts'
import type { IdempotencyStatements } from './contract.ts'

const held = sql`(select value ->> 'key', value ->> 'owner' from json_each(${''}))`

export const sqliteStatements: IdempotencyStatements = {
  createClaims: [
    sql`create table if not exists ig_idempotency_claim
      (key text primary key, owner text not null, until double precision not null) without rowid`,
  ],
  claim: sql`
    insert into ig_idempotency_claim (key, owner, until)
    select value ->> 'key', value ->> 'owner', ${clock} + (value ->> 'lease') from json_each(${''}) where true
    on conflict (key) do update set owner = excluded.owner, until = excluded.until
    where ig_idempotency_claim.until <= ${clock}
    returning owner`,
  findStored: sql`
    select known.key, known.request, known.status, known.answer from json_each(${''}) as asked
    cross join ig_idempotency as known on known.key = asked.value ->> 'key' and known.expires > asked.value ->> 'now'`,
  release: sql`delete from ig_idempotency_claim where (key, owner) in ${held}`,
  renew: sql`update ig_idempotency_claim set until = ${clock} + ${0} where (key, owner) in ${held}`,
  keep: sql`
    insert into ig_idempotency (key, request, expires, operator, status, size, answer)
    values (${''}, ${''}, ${0}, ${''}, ${0}, ${0}, ${''})
    on conflict (key) do update set request = excluded.request, expires = excluded.expires,
      operator = excluded.operator, status = excluded.status, size = excluded.size, answer = excluded.answer
    where ig_idempotency.expires <= ${0}`,
  valuesOf: ({ key, request, expires, operator, status, size, answer, now }) => [
    key,
    request,
    expires,
    operator,
    status,
    size,
    answer,
    now,
  ],
  keepReleases: false,
}
