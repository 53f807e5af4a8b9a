/**
 * One process of a store runs the handler for an entry that was cached before; the others wait for its result while it
 * is alive (specification 6.10, 17.8). A store failure costs an extra run, never a call.
 */

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { setInterval } from '../../base/timers.ts'
import type { OperationResponse } from '../../model/call.ts'
import { lease, pollEvery } from '../../store/claim-times.ts'
import type { RestCacheStore } from '../../store/store.ts'
import { isCutOff } from '../handler/failure.ts'

export interface SharedRun {
  readonly store: RestCacheStore
  /** The entry's key in the store. */
  readonly row: string
  readonly generation: number
  /** Milliseconds to wait for another process's run. */
  readonly timeout: number
  /** The unexpired entry of the store. */
  find(): Promise<OperationResponse | undefined>
  /** Runs the handler, and caches its response if allowed. */
  run(): OperationResponse | Promise<OperationResponse>
  /** Resolves when all cached entries are in the store. */
  flush(): Promise<void>
  /** Work that no call waits for. */
  later(work: () => Promise<void>): void
  onFailure(error: unknown): undefined
}

export async function runForAll(shared: SharedRun): Promise<OperationResponse> {
  const { store, row, generation, timeout, find, run, later, onFailure } = shared
  const claim = `${row}.${generation}` // after a deletion, no call waits for a run that began before it
  const owner = randomUUID()
  const end = performance.now() + timeout
  let hasWaited = false
  while (performance.now() < end) {
    const isOurs = await store.claim(claim, owner, lease).catch(onFailure)
    if (isOurs === undefined) break
    const made = await find()
    if (!isOurs && !made) {
      hasWaited = true
      await sleep(pollEvery)
      continue
    }
    const isForgotten = hasWaited && !made && (await isGone(shared))
    if (isOurs && !made && !isForgotten) return runClaimed(shared, claim, owner)
    if (isOurs) later(() => store.release(claim, owner))
    if (made) return made
    break // the awaited run cached nothing: each call runs the handler itself
  }
  return run()
}

async function isGone({ store, row }: SharedRun): Promise<boolean> {
  return (await store.find(row).catch(() => undefined)) === undefined
}

async function runClaimed({ store, row, run, flush, later }: SharedRun, claim: string, owner: string) {
  const renewing = setInterval(() => store.claim(claim, owner, lease).catch(() => {}), lease / 3).unref()
  let forgetsRow = true
  try {
    const response = await run()
    forgetsRow = response.cacheExpires === undefined
    return response
  } catch (error) {
    if (isCutOff(error)) forgetsRow = false // an aborted run says nothing about caching
    throw error
  } finally {
    clearInterval(renewing)
    const written = flush()
    later(async () => {
      await written // the row is stored before the waiting calls continue
      if (forgetsRow) await store.forget(row)
      await store.release(claim, owner)
    })
  }
}
