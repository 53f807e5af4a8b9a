/** docs/how-to/descriptions.md, run as written (specification 12). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyReference, serve } from '../../support/cli.ts'
import { openShell, readTranscript } from '../../support/transcript.ts'

test('12.1, 12.3, 12.4, 12.5, 12.8, 12.9 every transcript of docs/how-to/descriptions.md is what the commands print', async () => {
  const commands = readTranscript(
    readFileSync(join(import.meta.dirname, '../../../docs/how-to/descriptions.md'), 'utf8'),
  )
  assert.equal(commands.length, 13)
  const folder = copyReference()
  const serving = serve(['dev', folder, '--port', '0', '--issuer-port', '0'], { env: { IG_DESCRIBE: 'permitted' } })
  const [, base = ''] = await serving.until(/Gateway +(http:\S+)/)
  const shell = openShell(folder)
  for (const { line, expected } of commands)
    assert.equal(await shell.run(line.replace('http://127.0.0.1:8080', new URL(base).origin)), expected, line)
})
