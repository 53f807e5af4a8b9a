/** Ends what functions without a `t` begin: where a test runs, after it; otherwise after all tests of the process. */
import { after, afterEach, beforeEach } from 'node:test'

type End = () => unknown

let running = 0
const ends: { ofTest: End[]; ofProcess: End[] } = { ofTest: [], ofProcess: [] }

beforeEach(() => void (running += 1))
afterEach(async () => {
  running -= 1 // not 0 after a test within another
  if (running === 0) await runAll(ends.ofTest.splice(0))
})
after(() => runAll(ends.ofProcess))

/** `after` of the runner, within a test, would have to follow promises (lighter-process.ts). */
export function afterwards(end: End): void {
  ends[running > 0 ? 'ofTest' : 'ofProcess'].push(end)
}

async function runAll(all: readonly End[]): Promise<void> {
  const results: PromiseSettledResult<unknown>[] = []
  for (const end of all) results.push(...(await Promise.allSettled([(async () => end())()])))
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (failed.length > 0) throw failed[0]
}
