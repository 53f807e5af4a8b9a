/**
 * Work that is done a few at a time, with a queue of bounded length: a flood of wrong passwords must neither eat memory
 * nor take all threads from the rest of the gateway (specification 3.8, 4.11).
 */
import { Refusal } from '../../model/refusal.ts'

export interface BoundedWorkOptions {
  readonly concurrency: number
  readonly maxWaiting: number
}

export type BoundedWork = <Result>(work: () => Promise<Result>) => Promise<Result>

/** @throws (the work it returns) Refusal `overloaded` where the queue is full */
export function openBoundedWork({ concurrency, maxWaiting }: BoundedWorkOptions): BoundedWork {
  const waiting: (() => void)[] = []
  let running = 0

  return async (work) => {
    if (running < concurrency) running++
    else {
      if (waiting.length >= maxWaiting)
        throw new Refusal('overloaded', 'Too many passwords are waiting to be verified.')
      await new Promise<void>((resolve) => waiting.push(resolve)) // whoever finishes hands its place over
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
