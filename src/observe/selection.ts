/**
 * Selects the calls to keep between two writings if there are more than fit: the first ones, higher ranks before lower
 * ones, strays last (specification 15.2, 21.3). During a call it takes references only.
 */

import { setImmediate as endTurn } from 'node:timers/promises'
import { setTimeout } from '../base/timers.ts'
import type { AnsweredCall } from '../model/call-record.ts'
import type { Note } from '../model/observation.ts'
import { verificationOf } from '../model/verification.ts'

export type Rank = 'failed' | 'done' | 'stray'

/** Calls that need no credentials rank last: without an operation, or failed without credentials. */
export function rankOf({ call, transaction: { operation, operator }, reply, refusal }: AnsweredCall): Rank {
  if (!operation) return 'stray'
  const isFailed = refusal !== undefined || reply.status >= 400
  if (!isFailed) return 'done'
  const { allowsAnonymous, header } = verificationOf(operation.verification)
  const needsOther = !allowsAnonymous && header !== 'authorization'
  const isAnybodys = operator === undefined || (call.headers.authorization === undefined && !needsOther)
  return isAnybodys ? 'stray' : 'failed'
}

/** The same for a note, which may come before the headers are read: the operation's verification replaces them. */
export function rankOfNote({ transaction }: Note): Rank {
  const isAnybodys = !transaction?.operator || verificationOf(transaction.operation?.verification).allowsAnonymous
  return isAnybodys ? 'stray' : 'failed'
}

export interface SelectionOptions<Item> {
  /** Maximum number of items of one writing, and of strays among them. */
  readonly max: number
  readonly maxStrays?: number
  /** Milliseconds from the first item to the writing. */
  readonly every: number
  /** A writing begins: the items, rank by rank, and how many of each rank found no room. @returns them in their order */
  begin?(items: Item[], lost: Readonly<Record<Rank, number>>): readonly Item[]
  /** Writes a part of them: other calls run in between. */
  write(items: readonly Item[]): void
  onError(error: Error): void
}

export interface Selection<Item> {
  /** Adds an item, if there is room for one more of this rank; it may displace one of a lower rank. */
  add(rank: Rank, make: () => Item): void
  /** Writes the rest. */
  close(): Promise<void>
}

/** A thousand at once block calls for 10 to 15 ms. */
const partSize = 100

export function openSelection<Item>(options: SelectionOptions<Item>): Selection<Item> {
  const { max, maxStrays = max, every, begin = (items) => items, write, onError } = options
  let held: Record<Rank, Item[]> = { failed: [], done: [], stray: [] }
  let lost: Record<Rank, number> = { failed: 0, done: 0, stray: 0 }
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const makeRoom = (rank: Rank): boolean => {
    if (rank !== 'stray' && held.stray.pop()) lost.stray += 1
    else if (rank === 'failed' && held.done.pop()) lost.done += 1
    else return false
    return true
  }
  const flush = () => {
    timer = undefined
    const items = begin([...held.failed, ...held.done, ...held.stray], lost)
    held = { failed: [], done: [], stray: [] }
    lost = { failed: 0, done: 0, stray: 0 }
    writing = writing.then(() => writeInParts(items)).catch(onError)
  }
  const writeInParts = async (items: readonly Item[]) => {
    for (let from = 0; from < items.length; from += partSize) {
      if (from > 0) await endTurn()
      write(items.slice(from, from + partSize))
    }
  }
  return {
    add(rank, make) {
      timer ??= setTimeout(flush, every).unref()
      const isFull = held.failed.length + held.done.length + held.stray.length >= max
      const hasRoom = rank === 'stray' && held.stray.length >= maxStrays ? false : !isFull || makeRoom(rank)
      if (hasRoom) held[rank].push(make())
      else lost[rank] += 1
    },
    async close() {
      clearTimeout(timer)
      flush()
      await writing
    },
  }
}
