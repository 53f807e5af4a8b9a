/** docs/how-to/session-tokens.md, run as written (specification 27). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyReference, serve } from '../../support/cli.ts'
import { mask, openShell, readTranscript, runProgram } from '../../support/transcript.ts'

const guide = join(import.meta.dirname, '../../../docs/how-to/session-tokens.md')

test('27.2, 27.3, 27.7, 27.10, 27.12, 27.14 every transcript of docs/how-to/session-tokens.md is what the commands print', async () => {
  const text = readFileSync(guide, 'utf8')
  const commands = readTranscript(text)
  assert.equal(commands.length, 9)
  const folder = copyReference()
  const shell = openShell(folder)
  let origin = ''
  for (const { line, expected } of commands) {
    if (line === 'ig start') origin = await start(folder)
    else assert.equal(hide(await shell.run(line.replace('http://127.0.0.1:8080', origin))), hide(expected), line)
    if (line.startsWith('curl -s -c ')) assert.equal(await runProgram(text, origin), 'KIM\n')
  }
})

/** Keys and tokens differ. */
function hide(text: string): string {
  return mask(text)
    .replace(/eyJ[\w.-]+/g, '<token>')
    .replace(/"tokenExpireTime":"[^"]*"/, '"tokenExpireTime":"<time>"')
    .replace(/"responseDTTM":"[^"]*"/, '"responseDTTM":"<time>"')
    .replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, '<public key>')
    .replace(/(?<=^|The key )[\w-]{16}(?= )/gm, '<key>')
}

async function start(folder: string): Promise<string> {
  const [, url = ''] = await serve(['start', folder], { env: { IG_PORT: '0' } }).until(/at (http:\/\/[\d.]+:\d+)/)
  return url
}
