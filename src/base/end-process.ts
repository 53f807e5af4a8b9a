/** The end of a process, whatever modules of a project have left open in it (specification 17.12). */
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds that a stop may take beyond the grace time of calls; what is stuck by then is killed. */
export const closingTime = 500
/** Of these, what a process takes that has a supervisor, which takes the rest. */
export const workerClosingTime = closingTime - 150
/** Milliseconds in which work that is almost done still ends. */
const pooledPatience = 200

let isStopping = false

/** Begins the stop: from here on the process has so many milliseconds. */
export function limitStop(milliseconds: number): void {
  isStopping = true
  setTimeout(killItself, milliseconds).unref()
}

/** Timers, sockets, threads and child processes keep no process that has done its work. */
export async function endProcess(): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(flush))
  if (isStopping) await untilExitCanEnd()
  process.exit()
}

/** What was printed reaches a slow reader; of one that has gone the write tells. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write('', () => resolve()))
}

/** `process.exit` joins the threads that open files and look names up, however long they take. */
async function untilExitCanEnd(): Promise<void> {
  const end = performance.now() + pooledPatience
  while (process.getActiveResourcesInfo().some((resource) => /^(FSReq|GetAddrInfo|GetNameInfo)/.test(resource))) {
    if (performance.now() > end) killItself()
    await sleep(5)
  }
}

function killItself(): void {
  process.kill(process.pid, 'SIGKILL')
}
