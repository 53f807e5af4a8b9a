/**
 * Which of the calls that end between two looks are held, where there are more than are kept: the first that came, but
 * those of a higher rank before the others, strays last (specification 15.2, 21.3). Nothing is made of a call that is not
 * kept: V8 saw what a ring of all calls kept survive, and made all of it in the old space from then on.
 */
import type { Answered, Note } from '../model/observation.ts'

export type Rank = 'failed' | 'done' | 'stray'

/** What anybody can make without credentials goes last: what reached no operation, and what failed without any. */
export function rankOf({ call, transaction: { operation, operator }, reply, refusal }: Answered): Rank {
  const isFailed = refusal !== undefined || reply.status >= 400
  const isAnybodys = operator === undefined || call.headers.authorization === undefined
  if (!operation || (isFailed && isAnybodys)) return 'stray'
  return isFailed ? 'failed' : 'done'
}

/** The same of a note, which may be made before there are headers to look at: for them stands what the operation asks for. */
export function rankOfNote({ transaction }: Note): Rank {
  const verification = transaction?.operation?.verification
  const isAnybodys = !transaction?.operator || verification === 'NONE' || verification === 'SSL'
  return isAnybodys ? 'stray' : 'failed'
}

export interface Selection<Item> {
  /** Whether one more of this rank is held; one of a lower rank goes for it. Whoever is told so puts it. */
  hasRoom(rank: Rank): boolean
  put(rank: Rank, item: Item): void
  /** What is held, rank by rank, and how many of each are not; then it begins anew. */
  take(): { readonly items: Item[]; readonly lost: Readonly<Record<Rank, number>> }
}

export function openSelection<Item>(most: number, mostStrays = most): Selection<Item> {
  let held: Record<Rank, Item[]> = { failed: [], done: [], stray: [] }
  let lost: Record<Rank, number> = { failed: 0, done: 0, stray: 0 }

  const makeRoom = (rank: Rank): boolean => {
    if (rank !== 'stray' && held.stray.pop()) lost.stray += 1
    else if (rank === 'failed' && held.done.pop()) lost.done += 1
    else return false
    return true
  }
  return {
    hasRoom(rank) {
      const isFull = held.failed.length + held.done.length + held.stray.length >= most
      const isHeld = rank === 'stray' && held.stray.length >= mostStrays ? false : !isFull || makeRoom(rank)
      if (!isHeld) lost[rank] += 1
      return isHeld
    },
    put(rank, item) {
      held[rank].push(item)
    },
    take() {
      const taken = { items: [...held.failed, ...held.done, ...held.stray], lost }
      held = { failed: [], done: [], stray: [] }
      lost = { failed: 0, done: 0, stray: 0 }
      return taken
    },
  }
}
