/** The snapshots that streams of handlers read: a limited number for each process (specification 5.32, 5.33). */
import type { HandlerDatabase } from '../model/handler-database.ts'
import { Refusal } from '../model/refusal.ts'
import type { Database } from './database.ts'
import { type HandlerTransactionOptions, openHandlerTransaction } from './transaction.ts'

export interface SnapshotOptions extends Pick<HandlerTransactionOptions, 'wait' | 'rows' | 'isPortable' | 'watch'> {
  /** Called before the first statement. @throws Error if it is too early */
  requireDue(): void
}

export interface Snapshot {
  /** Only reads. */
  readonly database: HandlerDatabase
  /** Ends a running statement. Never throws. */
  close(): Promise<void>
}

/** Unless it is configured. */
export const defaultStreams = 8

export interface Snapshots {
  /** Open now, each with a connection as soon as it is read. */
  readonly count: number
  readonly max: number
  /** @throws Refusal overloaded */
  open(options: SnapshotOptions): Snapshot
}

/** @param most at the same time */
export function openSnapshots(handlers: Database, max: number): Snapshots {
  let open = 0
  const openOne = ({ requireDue, ...options }: SnapshotOptions) => {
    if (open >= max)
      throw new Refusal('overloaded', `all ${max} snapshots of this process are in use (ig.limits.streams)`)
    open += 1
    const begin: Database['begin'] = async (waiting) => {
      requireDue()
      if (!handlers.beginSnapshot) throw new Error('This database has no snapshots')
      return handlers.beginSnapshot(waiting)
    }
    const reading = openHandlerTransaction(
      { ...handlers, begin },
      { ...options, isExclusive: true, isRestricted: true },
    )
    let closing: Promise<void> | undefined
    const close = () => {
      closing ??= reading.rollback().finally(() => {
        open -= 1
      })
      return closing
    }
    return { database: reading.database, close }
  }
  return {
    max,
    get count() {
      return open
    },
    open: openOne,
  }
}
