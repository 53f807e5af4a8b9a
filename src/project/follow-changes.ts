/**
 * Follows the store: what other processes change is active here within a second; during a store outage the last known
 * state stays (specification 17.7, 17.15).
 */

import { pollEvery } from '../base/poll-every.ts'
import type { Gateway } from '../gateway.ts'
import type { Operator } from '../model/operator.ts'
import { openStoreReporter } from '../store/report-store.ts'
import { beginning, type ChangeCursor, type Changes } from '../store/store.ts'
import type { StoreAtStart } from '../store/store-at-start.ts'
import type { Verifier } from '../verification/verifier.ts'
import type { RevisionFollower } from './activate-revision.ts'
import { followClock } from './follow-clock.ts'

/** A part of the gateway that reads its own changes. */
export interface Follower {
  /** Reads and applies its changes since the last call. */
  follow(): Promise<void>
  /** Discards what it has read: the store is another one, or a clock was set. */
  reset(): void
}

export interface FollowOptions {
  readonly atStart: StoreAtStart
  readonly operators: Map<string, Operator>
  readonly gateway: Gateway
  readonly revisions: RevisionFollower | undefined
  readonly followers: readonly Follower[]
  /** The configuration of a store that was replaced. */
  reopenCatalog(changes: Changes): Promise<void>
  /** Everything is as in the store. */
  onRead(storeId: string, cursor: ChangeCursor): void
}

/** Polling interval in milliseconds: a locked operator or a grant is active within a second, even after a failed poll. */
const changesEvery = { usual: 250, duringOutage: 100 }
/** Milliseconds; tokens have a skew of 30 seconds. */
const clockTolerance = 5_000

/** @returns stops following */
export function followChanges(options: FollowOptions) {
  const { atStart, operators, gateway, revisions, followers, reopenCatalog, onRead } = options
  const { store } = atStart
  const { observe, condition, now } = gateway
  const verifiers = Object.values<Verifier>(gateway.verifiers)
  let { cursor } = atStart.changes
  let { storeId } = atStart
  let openAfterOutage = atStart.lastGood?.open
  let clockOffset = store.clockOffset
  const reportClock = openClockReporter(gateway)
  reportClock()
  const resetFollowers = () => {
    for (const each of followers) each.reset()
  }
  const pollClock = followClock(gateway, resetFollowers)
  const reportStore = openStoreReporter(store, observe)
  /** The store may be another one, or a restored one: the known state is then discarded. */
  const reread = async () => {
    await openAfterOutage?.()
    const id = await store.identify()
    // From the beginning: the newest activation, even if it is older than the known one
    const latest = await store.changesSince({ ...cursor, activations: beginning.activations })
    const isKnown = id === storeId && !isBefore(latest.cursor, cursor)
    resetFollowers() // it may have been restored to a time since which only the followers' rows have changed
    if (isKnown && !openAfterOutage) return
    const changes = await store.changesSince(beginning)
    const ids = new Set(changes.operators.map((operator) => operator.id))
    for (const each of operators.keys()) if (!ids.has(each)) operators.delete(each)
    await reopenCatalog(changes)
    if (!isKnown) {
      const message = 'The store was replaced or restored. The gateway reads it again.'
      observe({ kind: 'event', level: 'warning', name: 'storeChanged', message })
    }
    storeId = id
    cursor = beginning // `poll` applies all of it, like any change
    openAfterOutage = undefined
    condition.lastGood = undefined
  }
  const poll = async () => {
    reportStore()
    try {
      if (condition.isStoreOutage) await reread()
      let changes = await store.changesSince(cursor)
      if (isBefore(changes.cursor, cursor)) {
        await reread()
        changes = await store.changesSince(cursor)
      }
      if (changes.cursor.operators !== cursor.operators)
        for (const verifier of verifiers) await verifier.follow?.(cursor.operators)
      for (const operator of changes.operators) operators.set(operator.id, operator)
      for (const id of changes.removedOperators) operators.delete(id)
      for (const each of followers) await each.follow()
      if (store.clockOffset !== clockOffset) resetFollowers()
      clockOffset = store.clockOffset
      for (const verifier of verifiers) verifier.prepare?.(gateway.catalog).catch(() => {}) // a readable store may not be writable: tried again
      revisions?.follow(changes.activation)
      reportClock()
      pollClock()
      cursor = changes.cursor
      if (condition.isStoreOutage)
        observe({ kind: 'event', level: 'warning', name: 'storeBack', message: 'The store is available again.' })
      condition.storeReadAt = now()
      condition.isStoreOutage = false
      onRead(storeId, cursor)
    } catch (error) {
      // Whatever it is, also a bug: the next poll reads all of it again
      const message = 'The store is not available; the gateway uses the operators and the cache that it read last.'
      if (!condition.isStoreOutage) observe({ kind: 'event', level: 'error', name: 'storeAway', message, error })
      condition.isStoreOutage = true
    }
  }
  const stop = pollEvery({
    every: () => (condition.isStoreOutage ? changesEvery.duringOutage : changesEvery.usual),
    work: poll,
  })
  return async () => {
    await stop()
    await revisions?.settled()
  }
}

function isBefore(one: ChangeCursor, other: ChangeCursor): boolean {
  return one.operators < other.operators || one.activations < other.activations
}

function openClockReporter({ store, observe }: Pick<Gateway, 'store' | 'observe'>): () => void {
  let isClockOff = false
  return () => {
    const off = store.clockOffset
    if (Math.abs(off) > clockTolerance === isClockOff) return
    isClockOff = !isClockOff
    const seconds = `${Math.round(Math.abs(off) / 1000)} s ${off < 0 ? 'ahead of' : 'behind'}`
    const message = isClockOff
      ? `This machine's clock is ${seconds} the database's. Tokens are checked against it and may be refused. Correct it.`
      : "This machine's clock agrees with the database's again."
    observe({ kind: 'event', level: 'warning', name: 'clockOff', message })
  }
}
