/** For what tells no event, as a row of another process: asks, and lets the others have the processor in between. */
import { setTimeout as sleep } from 'node:timers/promises'

const pause = 10

export async function poll(isSo: () => unknown): Promise<void> {
  while (!(await isSo())) await sleep(pause)
}
