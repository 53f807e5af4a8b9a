/** Makes argon2id hashes of the old passwords of an import, before its transaction (specification 37.6). */
import { availableParallelism } from 'node:os'
import type { OperatorChange, PreparedEntry } from '../../configuration/operator-file/apply-entry.ts'
import { findDigest, type OperatorEntry } from '../../configuration/operator-file/entry.ts'
import { wrapDigest } from './old-password.ts'

/** The entries whose digest an operator without a password gets. @param planned as `preview` returns it */
export function findDigests(entries: readonly OperatorEntry[], planned: readonly OperatorChange[]) {
  const withPassword = new Set(planned.filter(({ after }) => 'password' in after).map(({ id }) => id))
  return entries.flatMap((entry) => {
    const found = withPassword.has(entry.id) ? findDigest(entry) : undefined
    return found ? [{ id: entry.id, ...found }] : []
  })
}

/** Two at a time: a hash takes 8 ms, and the transaction would hold the database's writer for minutes. */
export async function wrapDigests(
  entries: readonly OperatorEntry[],
  digests: ReturnType<typeof findDigests>,
  onProgress: (made: number) => void = () => {},
): Promise<readonly PreparedEntry[]> {
  const wrapped = new Map<string, string>()
  await runConcurrently(digests, Math.min(2, availableParallelism()), async ({ id, form, digest }) => {
    wrapped.set(id, await wrapDigest(form, digest))
    onProgress(wrapped.size)
  })
  return entries.map((entry) => {
    const wrappedDigest = wrapped.get(entry.id)
    return wrappedDigest === undefined ? entry : { ...entry, wrappedDigest }
  })
}

/** Runs work on each item, a few at a time. After the first failure no further work begins. */
async function runConcurrently<Item>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]()
  let hasFailed = false
  const run = async () => {
    for (let next = left.next(); !next.done && !hasFailed; next = left.next())
      await work(next.value).catch((error) => {
        hasFailed = true
        throw error
      })
  }
  await Promise.all(Array.from({ length: concurrency }, run))
}
