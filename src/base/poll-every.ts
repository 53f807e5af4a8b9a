/** Repeats work on an interval. A failure is reported once, until the work succeeds again; no process waits for a pause. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface Polling {
  /** Milliseconds before each time. */
  readonly every: number | (() => number)
  /** @param stopping aborted at the end: long work ends early */
  work(stopping: AbortSignal): unknown
  onFailure?(error: unknown): void
  /** The first time is without a pause. */
  readonly isImmediate?: boolean
}

/** @returns stops it, and waits for the work */
export function pollEvery({ every, work, onFailure, isImmediate = false }: Polling): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  let isFailing = false
  const attempt = async () => {
    try {
      await work(signal)
      isFailing = false
    } catch (error) {
      if (!isFailing) onFailure?.(error)
      isFailing = true
    }
  }
  const pause = () =>
    sleep(typeof every === 'number' ? every : every(), true, { ref: false, signal }).catch(() => false)
  const polling = (async () => {
    if (isImmediate) await attempt()
    while (await pause()) await attempt()
  })()
  return async () => {
    stopping.abort()
    await polling
  }
}
