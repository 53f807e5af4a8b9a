/** docs/how-to/administration.md, run as written: one shell, curl, and a gateway of `ig start` (specification 18). */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyReference, readSetupLink, serve } from '../support/cli.ts'
import { readTranscript } from '../support/transcript.ts'

test('18.5, 18.11, 18.17, 18.20, 18.25, 18.30 every transcript of docs/how-to/administration.md is what curl prints', async () => {
  const document = readFileSync(join(import.meta.dirname, '../../docs/how-to/administration.md'), 'utf8')
  const commands = readTranscript(document)
  assert.ok(commands.length > 20)
  const folder = copyReference()
  const serving = serve(['start', folder], { env: { IG_PORT: '0', IG_ADMIN_PORT: '0' } })
  const { url, token } = await readSetupLink(serving)
  const script = commands
    .map(({ line }) => line.replace(/^LINK=.*/, `LINK=${token}`).replaceAll('http://127.0.0.1:8081', url))
    .map((line) => `${line}\necho; echo '=== end'`)
    .join('\n')
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' })
  await serving.stop()
  assert.equal(stderr, '')
  const outputs = stdout.split('=== end\n')
  for (const [index, { line, expected }] of commands.entries())
    assert.equal(mask(outputs[index] ?? ''), mask(expected), line)
})

/** What differs from one run to the next. */
function mask(text: string): string {
  return text
    .trim()
    .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/"csrfToken":"[\w-]{43}"/, '<csrf>')
}
