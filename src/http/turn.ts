/**
 * Work that is due in this turn of the event loop, done together once all that has arrived was read: then the processor
 * has the pipeline at hand, and replies leave one behind the other. A client on another core is woken once for several
 * of them, and not for each (decisions D-210).
 */

let due: (() => void)[] = []

/** @param work must not throw */
export function atEndOfTurn(work: () => void): void {
  if (due.push(work) === 1) setImmediate(workOff)
}

function workOff(): void {
  const works = due
  due = []
  for (const work of works) work()
}

/** Milliseconds that a call may have to wait for the work of others. */
const slice = 3
let queue: (() => void)[] = []

/** Work that thousands of connections may have at one moment: between two slices, calls go on. @param work must not throw */
export function inSlice(work: () => void): void {
  if (queue.push(work) === 1) setImmediate(workSlice)
}

function workSlice(): void {
  const end = performance.now() + slice
  let done = 0
  do queue[done++]?.()
  while (done < queue.length && performance.now() < end)
  queue = queue.slice(done)
  if (queue.length > 0) setImmediate(workSlice)
}
