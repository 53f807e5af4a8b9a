/**
 * Of all processes on a store, one runs the handler for an entry that was cached before; the others wait for what it
 * stores, for as long as it lives (specification 6.10, 17.8). A store that fails costs a run, never a call.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OperationResponse } from '../../model/call.ts'
import type { RestCacheStore } from '../../store/store.ts'
import { isCutOff } from '../handler/failure.ts'

export interface SharedRun {
  readonly store: RestCacheStore
  /** The entry's key in the store. */
  readonly row: string
  readonly generation: number
  /** Milliseconds that another process's run is waited for. */
  readonly patience: number
  /** The unexpired entry of the store. */
  find(): Promise<OperationResponse | undefined>
  /** Runs the handler, and keeps what may be cached. */
  run(): OperationResponse | Promise<OperationResponse>
  /** When all that was kept is in the store. */
  flush(): Promise<void>
  /** Work that no call waits for. */
  later(work: () => Promise<void>): void
  onFailure(error: unknown): undefined
}

/** A process that died holds its claim for so long; one that lives renews it. In milliseconds. */
const lease = 3_000
/** How often a process asks whether another has done it. */
const askEvery = 50

export async function runForAll(shared: SharedRun): Promise<OperationResponse> {
  const { store, row, generation, patience, find, run, later, onFailure } = shared
  const claim = `${row}.${generation}` // what was begun before a deletion is no one's to wait for after it
  const owner = randomUUID()
  const end = performance.now() + patience
  let hasWaited = false
  while (performance.now() < end) {
    const isOurs = await store.claim(claim, owner, lease).catch(onFailure)
    if (isOurs === undefined) break
    const made = await find()
    if (!isOurs && !made) {
      hasWaited = true
      await sleep(askEvery)
      continue
    }
    const isForgotten = hasWaited && !made && (await isGone(shared))
    if (isOurs && !made && !isForgotten) return runClaimed(shared, claim, owner)
    if (isOurs) later(() => store.release(claim, owner))
    if (made) return made
    break // the one waited for cached nothing: each runs it by itself
  }
  return run()
}

async function isGone({ store, row }: SharedRun): Promise<boolean> {
  return (await store.find(row).catch(() => undefined)) === undefined
}

async function runClaimed({ store, row, run, flush, later }: SharedRun, claim: string, owner: string) {
  const renewing = setInterval(() => store.claim(claim, owner, lease).catch(() => {}), lease / 3).unref()
  let isCacheable = false
  try {
    const response = await run()
    isCacheable = response.cacheExpires !== undefined
    return response
  } catch (error) {
    isCacheable = isCutOff(error) // not known: the next one tries
    throw error
  } finally {
    clearInterval(renewing)
    const written = flush()
    later(async () => {
      await written // the row comes before those who wait for it
      if (!isCacheable) await store.forget(row)
      await store.release(claim, owner)
    })
  }
}
