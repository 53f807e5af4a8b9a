/**
 * Work that is due in this turn of the event loop, done together once all that has arrived was read: then the processor
 * has the pipeline at hand, and replies leave one behind the other. A client on another core is woken once for several
 * of them, and not for each (decisions D-210).
 */

export interface Due {
  /** Must not throw. */
  begin(): void
}

let due: Due[] = []
let isPlanned = false
let isAccepting = false
/** Turns that the work has waited for connections. */
let waited = 0
/** A crowd that never ends must not keep it waiting. */
const mostWaited = 256

export function atEndOfTurn(work: Due): void {
  due.push(work)
  plan()
}

/**
 * The system's queue of new connections moves by one a turn: were the calls of each begun in its turn, the others would
 * wait there, unseen. So work waits for a turn without a new one (decisions D-942).
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

/** Milliseconds that a call may have to wait for the work of others. */
const slice = 3
const queue: (() => void)[] = []
let isAtWork = false

/**
 * Work that thousands of connections may have at one moment: between two slices, calls go on. What a work leads to without
 * waiting, in promises, is part of its slice.
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
      // A tick that is asked for in a microtask comes when no promise is left to be gone on with
      await new Promise<void>((resolve) => queueMicrotask(() => process.nextTick(resolve)))
    } while (queue.length > 0 && performance.now() < end)
  }
  isAtWork = false
}

/** Each piece in a slice: a socket takes megabytes before its client reads, and there may be thousands at one moment. */
export async function* inSlices(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    await new Promise<void>(inSlice)
    yield piece
  }
}
