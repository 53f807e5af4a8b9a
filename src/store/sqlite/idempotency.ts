/** The statements of kept answers for SQLite (specification 26.4). */
import { sql } from 'kysely'
import type { IdempotencyStatements } from '../idempotency/contract.ts'
import { jobStatements } from './jobs.ts'

const { clock } = jobStatements

/** A row value would be slower. No two claims have the same owner. */
const listed = sql`(select value from json_each(${''}))`
const isHeld = sql`key in ${listed} and owner in ${listed}`

export const idempotencyStatements: IdempotencyStatements = {
  createClaims: [
    sql`create table if not exists ig_idempotency_claim
      (key text primary key, owner text not null, until double precision not null) without rowid`,
  ],
  gathers: 0,
  claim: sql`
    insert into ig_idempotency_claim (key, owner, until)
    select value ->> 0, value ->> 1, ${clock} + (value ->> 2) from json_each(${''}) where true
    on conflict (key) do update set owner = excluded.owner, until = excluded.until
    where ig_idempotency_claim.until <= ${clock}
    returning owner`,
  claimValues: (asked) => [JSON.stringify(asked.map(({ key, owner, lease }) => [key, owner, lease]))],
  findKept: sql`select key, request, status, answer from ig_idempotency where key in ${listed} and expires > ${0}`,
  findValues: (asked) => [JSON.stringify(asked.map(({ key }) => key)), asked[0]?.now],
  release: sql`delete from ig_idempotency_claim where ${isHeld}`,
  renew: sql`update ig_idempotency_claim set until = ${clock} + ${0} where ${isHeld}`,
  heldValues: (claims) => [
    JSON.stringify(claims.map(({ key }) => key)),
    JSON.stringify(claims.map(({ owner }) => owner)),
  ],
  keep: sql`
    insert into ig_idempotency (key, request, expires, status, size, answer)
    values (${''}, ${''}, ${0}, ${0}, ${0}, ${''})
    on conflict (key) do update set request = excluded.request, expires = excluded.expires, status = excluded.status,
      size = excluded.size, answer = excluded.answer
    where ig_idempotency.expires <= ${0}`,
  valuesOf: ({ key, request, expires, status, size, answer, now }) => [
    key,
    request,
    expires,
    status,
    size,
    answer,
    now,
  ],
  keepReleases: false,
}
