/**
 * The debugger of `ig dev --inspect` (specification 8.56): it attaches to the process that runs handlers, and the next
 * process takes its port over.
 */
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const host = '127.0.0.1'
/** Milliseconds between two attempts, and their number: the previous process closes its port as it stops. */
const every = 100
const attempts = 50

let opening: Promise<typeof import('node:inspector')> | undefined

/** Once a process. @param port undefined: none */
export async function openInspector(port: number | undefined): Promise<void> {
  if (port === undefined || opening) return
  opening = import('node:inspector')
  const inspector = await opening
  for (let attempt = 0; attempt < attempts && !(await isFree(port)); attempt++) await sleep(every)
  inspector.open(port, host)
}

export function closeInspector(): void {
  void opening?.then((inspector) => inspector.close())
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(false))
      .listen(port, host, () => probe.close(() => resolve(true)))
  })
}
