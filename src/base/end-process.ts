/** Ends a process, whatever modules of a project have left open in it (specification 17.12). */

import { setTimeout as sleep } from 'node:timers/promises'
import { setTimeout } from './timers.ts'

/** Milliseconds that a stop may take beyond the grace time of calls; a stuck process is then killed. */
export const closingTime = 500
/** The share of a process that has a supervisor; the supervisor has the rest. */
export const workerClosingTime = closingTime - 150
/** Milliseconds for work that is almost done. */
const pooledPatience = 200

let isStopping = false

/** Begins the stop: the process has this many milliseconds left. */
export function limitStop(milliseconds: number): void {
  isStopping = true
  setTimeout(killItself, milliseconds).unref()
}

/** Open timers, sockets, threads and child processes do not keep a finished process alive. */
export async function endProcess(): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(flush))
  if (isStopping) await untilExitCanEnd()
  process.exit()
}

/** Output reaches a slow reader; if the reader is gone, the write fails. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write('', () => resolve()))
}

/** `process.exit` waits for the threads that open files and resolve names, however long they take. */
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
