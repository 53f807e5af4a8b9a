/**
 * Deletes stored responses that have expired and, if they take too much of the database, the oldest (specification 26.10): a
 * few hundred rows at a time, so that calls have their turn between them.
 */
import { setImmediate as rest } from 'node:timers/promises'
import type { IdempotencyStore } from '../../store/idempotency/contract.ts'

type ResponseStore = Pick<IdempotencyStore, 'deleteExpired' | 'listSizes'>

/** @returns how many had not expired yet */
export async function deleteResponses(store: ResponseStore, now: number, maxBytes: number): Promise<number> {
  await deleteUntil(store, now)
  const oldest = await findOldest(store, maxBytes)
  return oldest === undefined ? 0 : deleteUntil(store, oldest)
}

async function deleteUntil(store: ResponseStore, expires: number): Promise<number> {
  for (let deleted = 0; ; await rest()) {
    const some = await store.deleteExpired(expires)
    deleted += some
    if (some === 0) return deleted
  }
}

/** The latest expiry of a row that no longer fits. */
async function findOldest(store: ResponseStore, maxBytes: number): Promise<number | undefined> {
  let total = 0
  for (let before = Number.MAX_VALUE; ; await rest()) {
    const rows = await store.listSizes(before)
    for (const { expires, size } of rows) {
      total += size
      if (total > maxBytes) return expires
    }
    const last = rows.at(-1)
    if (!last) return undefined
    before = last.expires
  }
}
