/**
 * Runs the calls of one turn of the event loop together, after all sockets of that turn were read: the code stays in the
 * processor's caches, and a client on another core wakes once for several replies (decisions D-210).
 */
import { setImmediate } from '../base/timers.ts'

export interface Due {
  /** Must not throw. */
  begin(): void
}

let due: Due[] = []
let isPlanned = false
let isAccepting = false
/** Consecutive turns in which the work was postponed because of new connections. */
let waited = 0
/** With constant new connections, the work still begins after this many turns. */
const mostWaited = 256

export function atEndOfTurn(work: Due): void {
  due.push(work)
  plan()
}

/**
 * Node accepts one connection per turn. If each turn also ran calls, the other connections would stay in the system's
 * queue, so work waits for a turn without a new connection (decisions D-942).
 */
export function accepted(): void {
  isAccepting = true
  plan()
}

function plan(): void {
  if (!isPlanned) setImmediate(workOff)
  isPlanned = true
}

function workOff(): void {
  isPlanned = false
  const waits = isAccepting && due.length > 0 && waited < mostWaited
  isAccepting = false
  waited = waits ? waited + 1 : 0
  if (waits) return void plan()
  const works = due
  due = []
  for (const work of works) work.begin()
}

/** Milliseconds of work between two turns of the event loop. */
const slice = 3
const queue: (() => void)[] = []
let isAtWork = false

/**
 * For work that thousands of connections may have at the same moment: it runs in slices, with calls between them.
 * Promise callbacks of the work count towards its slice.
 * @param work must not throw
 */
export function inSlice(work: () => void): void {
  queue.push(work)
  if (!isAtWork) void workSlices()
}

async function workSlices(): Promise<void> {
  isAtWork = true
  while (queue.length > 0) {
    await new Promise(setImmediate)
    const end = performance.now() + slice
    do {
      queue.shift()?.()
      // Node runs a tick that a microtask requests after the last microtask, so all promise callbacks have run
      await new Promise<void>((resolve) => queueMicrotask(() => process.nextTick(resolve)))
    } while (queue.length > 0 && performance.now() < end)
  }
  isAtWork = false
}

/** Each piece in a slice: a socket accepts megabytes before its client reads, and thousands may do so at once. */
export async function* inSlices(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    await new Promise<void>(inSlice)
    yield piece
  }
}
