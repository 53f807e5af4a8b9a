/** docs/how-to/revisions.md, run as written (specification 13). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyReference, serve } from '../support/cli.ts'
import { mask, openShell, readTranscript } from '../support/transcript.ts'

test('13.1, 13.3, 13.4, 13.6, 13.7, 13.9, 13.10, 13.2 every transcript of docs/how-to/revisions.md is what the commands print', async () => {
  const commands = readTranscript(readFileSync(join(import.meta.dirname, '../../docs/how-to/revisions.md'), 'utf8'))
  assert.equal(commands.length, 19)
  const folder = copyReference()
  const shell = openShell(folder)
  let origin = ''
  for (const { line, expected } of commands) {
    if (line.includes('curl') && origin === '') origin = await start(folder)
    assert.equal(mask(await shell.run(line.replace('http://127.0.0.1:8080', origin))), mask(expected), line)
  }
})

async function start(folder: string): Promise<string> {
  const [, url = ''] = await serve(['start', folder], { env: { IG_PORT: '0' } }).until(/at (http:\/\/[\d.]+:\d+)/)
  return url
}
