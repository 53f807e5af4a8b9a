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
