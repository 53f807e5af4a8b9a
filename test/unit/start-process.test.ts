/** Processes of our own that never begin (specification 17.3). */
import assert from 'node:assert/strict'
import { ChildProcess, execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startProcess } from '../../src/base/start-process.ts'

const worker = { file: 'none', args: [], stdio: ['ignore', 'pipe', 'ignore', 'ipc'] as const, onMessage() {} }
const start = (more: { readonly execPath: string; readonly env?: NodeJS.ProcessEnv }) =>
  startProcess<object, unknown>({ ...worker, stdio: [...worker.stdio], ...more })

const cases = [
  { code: 'ENOENT', what: 'whose Node is gone', more: { execPath: '/nowhere/node' } },
  { code: 'EACCES', what: 'whose Node may not be run', more: { execPath: fileURLToPath(import.meta.url) } },
  // Thrown, where the others are events
  {
    code: 'E2BIG',
    what: 'that the system refuses',
    more: { execPath: process.execPath, env: { LONG: 'x'.repeat(2 ** 20) } },
  },
]
for (const { code, what, more } of cases) {
  test(`17.3 a process ${what} counts as not started, and is sent no signal (${code})`, async (t) => {
    const signal = t.mock.method(ChildProcess.prototype, 'kill', () => true)
    const { pid, ended, send, kill } = start(more)
    assert.equal(pid, undefined)
    send({ kind: 'stop' })
    kill()
    assert.equal(signal.mock.callCount(), 0)
    assert.match(await ended, new RegExp(`^could not be started: spawn.* ${code}$`))
  })
}

test('17.3 a process for which no file can be opened counts as not started (EMFILE)', () => {
  const module = new URL('../../src/base/start-process.ts', import.meta.url).href
  const script = `
    import { openSync } from 'node:fs'
    import { startProcess } from ${JSON.stringify(module)}
    try { for (;;) openSync('/dev/null') } catch {}
    const start = { file: 'none', args: [], execPath: process.execPath, stdio: ['ignore', 'pipe', 'ignore', 'ipc'], onMessage() {} }
    process.stdout.write(await startProcess(start).ended)`
  const limited = 'ulimit -n 64; exec "$0" --input-type=module --eval "$1"'
  const ended = execFileSync('sh', ['-c', limited, process.execPath, script], { encoding: 'utf8' })
  assert.match(ended, /^could not be started: spawn.* EMFILE$/)
})
