/**
 * Runs the calls of one turn of the event loop together, after all sockets of that turn were read: the code stays in the
 * processor's caches, and a client on another core wakes once for several replies.
 */
import { setImmediate } from '../base/timers.ts'

export interface DeferredWork {
  /** Must not throw. */
  answerCall(): void
}

let deferred: DeferredWork[] = []
let isPlanned = false
let isAccepting = false
/** Consecutive turns in which the work was postponed because of new connections. */
let postponed = 0
/** With constant new connections, the work still begins after this many turns. */
const maxPostponed = 256

export function atEndOfTurn(work: DeferredWork): void {
  deferred.push(work)
  plan()
}

/**
 * Node accepts one connection per turn. If each turn also ran calls, the other connections would stay in the system's
 * queue, so work waits for a turn without a new connection.
 */
export function noteNewConnection(): void {
  isAccepting = true
  plan()
}

function plan(): void {
  if (!isPlanned) setImmediate(runDeferred)
  isPlanned = true
}

function runDeferred(): void {
  isPlanned = false
  const waits = isAccepting && deferred.length > 0 && postponed < maxPostponed
  isAccepting = false
  postponed = waits ? postponed + 1 : 0
  if (waits) return void plan()
  const running = deferred
  deferred = []
  for (const work of running) work.answerCall()
}
