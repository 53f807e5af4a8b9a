/** The statements of kept answers for SQLite (specification 26.4). */
import { sql } from 'kysely'
import type { IdempotencyStatements } from '../idempotency/contract.ts'

export const idempotencyStatements: IdempotencyStatements = {
  createClaims: [
    sql`create table if not exists ig_idempotency_claim
      (key text primary key, owner text not null unique, until double precision not null) without rowid`,
  ],
  keep: ({ key, request, now, expires, status, size, answer }) => sql`
    insert into ig_idempotency (key, request, expires, status, size, answer)
    values (${key}, ${request}, ${expires}, ${status}, ${size}, ${answer})
    on conflict (key) do update set request = excluded.request, expires = excluded.expires, status = excluded.status,
      size = excluded.size, answer = excluded.answer
    where ig_idempotency.expires <= ${now}
    returning key`,
  keepReleases: false,
}
