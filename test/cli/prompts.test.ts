/** Questions of `ig` at a terminal: yes or no, and a password (specification 3.23, 31.8). */
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { main } from '../../src/cli/main.ts'
import { confirm } from '../../src/terminal/confirm.ts'
import { Interruption } from '../../src/terminal/explain-failure.ts'
import { readNewPassword } from '../../src/terminal/read-password.ts'
import { runOn, type Terminal } from '../../src/terminal/terminal.ts'
import { copyReference } from '../support/cli.ts'

/** A terminal at which each text is typed when the next question is asked. */
function openTerminal(typed: readonly string[]) {
  const stdin: PassThrough = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
  const stderr = new PassThrough()
  const rest = [...typed]
  const write = stderr.write.bind(stderr)
  stderr.write = ((shown: string) => {
    if (/: $/.test(shown)) setImmediate(() => stdin.write(rest.shift() ?? ''))
    return write(shown)
  }) as typeof stderr.write
  return { terminal: { stdin, stdout: stderr, stderr, env: {} } as unknown as Terminal, stderr }
}

const password = 'a long sentence is a good one'

test('3.23 a prompt for a password ignores arrows and other keys, and Ctrl-U empties it', async () => {
  const { terminal } = openTerminal([
    `a long sentence\u001b[A\u001b[D\u001b[3~\u001bOP is a good onee\u007f\r`,
    `wrong\u0015${password}\r`,
  ])
  assert.equal(await runOn(terminal, () => readNewPassword('KIM', false)), password)
})

test('31.8 Ctrl-C at a question ends the verb with exit code 130 and a line break, and nothing is changed', async () => {
  const asked = openTerminal(['half\u0003'])
  await main(['operator', 'add', 'NEW', '--project', copyReference()], asked.terminal)
  asked.stderr.end()
  assert.equal(asked.terminal.exitCode, 130)
  assert.equal(await text(asked.stderr), 'Password for NEW: \nig: interrupted. Nothing was changed.\n')

  const { terminal, stderr } = openTerminal([])
  const others = process.listenerCount('SIGINT')
  const answer = runOn(terminal, () => confirm(['Delete it?']))
  process.listeners('SIGINT').at(-1)?.('SIGINT')
  await assert.rejects(answer, Interruption)
  assert.equal(process.listenerCount('SIGINT'), others)
  stderr.end()
  assert.equal(await text(stderr), 'Delete it? [y/N] \n')
})
