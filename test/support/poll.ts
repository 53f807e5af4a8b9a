/** For what tells no event, as a row of another process: asks, and lets the others have the processor in between. */
import { setTimeout as sleep } from 'node:timers/promises'
import { patience } from './patience.ts'

const pause = 10

export async function poll(isSo: () => unknown): Promise<void> {
  const end = performance.now() + patience
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It did not come to pass: ${isSo}`)
    await sleep(pause)
  }
}
