/**
 * The console in every look: its tests check the accessibility of each state of a page on a wide and a narrow screen, in
 * light and dark (specification 19.13). `npm test` checks each state in one of them (test/support/browser.ts).
 */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { executablePath } from '../support/browser.ts'
import type { Ordeal, OrdealOptions, Tally } from './ordeal.ts'

const root = join(import.meta.dirname, '../..')

export const looks: Ordeal = {
  name: 'looks',
  title: 'the tests of the console check each state of a page wide and narrow, in light and dark',
  figure: 'no test fails',
  trials: 1,
  needs: () => (executablePath === undefined ? 'chromium: apt-get install -y chromium' : undefined),
  open: async (options) => ({ trial: () => runConsoleTests(options), close: async () => {} }),
  judge({ passed = 0, failed = 0, ended = 0 }) {
    if (failed > 0) return [`${failed} tests failed`]
    return passed === 0 || ended > 0 ? ['the tests ended early'] : []
  },
}

async function runConsoleTests({ signal }: OrdealOptions): Promise<Tally> {
  const files = globSync('test/console/*.test.ts', { cwd: root })
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, [...process.execArgv, 'test/run.ts', ...files], {
    cwd: root,
    env: { ...env, CI: 'true', IG_TEST_LOOKS: 'all' },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
    killSignal: 'SIGTERM',
  })
  child.on('error', () => {}) // of the signal: what it printed until then is read
  const output = await text(child.stdout)
  const count = (name: string) => Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
  const [passed, failed] = [count('pass'), count('fail')]
  if (failed > 0) process.stdout.write(output.slice(output.lastIndexOf('\nFailed:')))
  return { passed, failed, ended: passed + failed > 0 ? 0 : 1 }
}
