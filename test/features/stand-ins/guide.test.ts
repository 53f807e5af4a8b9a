/** docs/how-to/stand-ins.md, run as written (specification 16). */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { ig, makeProject, serve } from '../../support/cli.ts'
import { readTranscript } from '../../support/transcript.ts'

const run = promisify(execFile)
const guide = readFileSync(join(import.meta.dirname, '../../../docs/how-to/stand-ins.md'), 'utf8')
const [part = ''] = guide.split('\n## Importing')

test('16.1, 16.2, 16.3, 16.4 the first half of docs/how-to/stand-ins.md, from an empty folder to a response', async () => {
  const blocks = [...part.matchAll(/^```(?:ts|xml|json)\n(?:\/\/ |<!-- )([\w./-]+)(?: -->)?\n([\s\S]*?)```/gm)]
  const files = Object.fromEntries(blocks.map(([, name = '', text = '']) => [name, text]))
  assert.deepEqual(Object.keys(files), ['gateway.config.ts', 'fixtures/names.xml', 'fixtures/person-7.json'])
  const project = makeProject(files)
  const serving = serve(['dev', project, '--port', '0', '--issuer-port', '0'])
  const [origin = ''] = await serving.until(/http:\/\/127\.0\.0\.1:\d+/)
  const commands = readTranscript(part)
  assert.equal(commands.length, 5)
  for (const { line, expected } of commands) {
    const args = [...line.replaceAll('\\\n', '').matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    )
    const real = args.slice(1).map((arg) => arg.replace('http://127.0.0.1:8080', origin))
    const { stdout } = args[0] === 'curl' ? await run('curl', real) : await ig(real, { cwd: project })
    assert.equal(stdout.trimEnd(), expected, line)
  }
  await serving.stop()
})
