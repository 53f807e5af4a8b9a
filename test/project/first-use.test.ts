/** What `npm ci` of a checkout leaves out, on a copy of it whose builds only say that they ran. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startIg } from '../support/ig-process.ts'
import { withTestKey } from '../support/secret-key.ts'

const root = join(import.meta.dirname, '../..')

test('9.15 the first ig dev of a checkout builds the console and the documentation and says so, later ones do not', async (t) => {
  const checkout = copyCheckout(t)
  const first = await start(checkout, 'dev')
  assert.match(first, /^Building console…\nBuilding site…\n/)
  assert.doesNotMatch(await start(checkout, 'dev'), /Building/)
})

test('9.15 without administration ig dev builds nothing, and ig start warns of what is not built', async (t) => {
  const checkout = copyCheckout(t)
  assert.doesNotMatch(await start(checkout, 'dev', 'off'), /Building/)
  const told = await start(checkout, 'start')
  assert.match(told, /^warning: the console and the documentation are not built, .* Build them: npm run build\n/m)
  assert.ok(!existsSync(join(checkout, 'console/dist')))
  const without = await start(checkout, 'start', 'off')
  assert.doesNotMatch(without, /not built/)
})

test('9.15 where a build fails, ig dev says so and serves without it', async (t) => {
  const checkout = copyCheckout(t)
  writeFileSync(join(checkout, 'site/build.js'), 'process.exitCode = 1')
  assert.match(await start(checkout, 'dev'), /^warning: site\/build\.js failed\. /m)
})

test('9.15 a build that was interrupted is repeated by the next ig dev', async (t) => {
  const checkout = copyCheckout(t)
  for (const name of ['as-ascii.ts', 'bundle-dependencies.js'])
    cpSync(join(root, 'tools/build', name), join(checkout, 'tools/build', name))
  rmSync(join(checkout, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => each !== '.bundled')) {
    mkdirSync(join(checkout, 'node_modules'), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(checkout, 'node_modules', name))
  }
  // In a process group of its own, which Ctrl-C ends as a whole
  const dev = ['--conditions=integration-gateway-source', 'bin/ig.js', 'dev', 'examples/reference']
  const { pid = 0, stdout } = spawn(process.execPath, dev, { cwd: checkout, detached: true, stdio: 'pipe' })
  let told = ''
  for await (const text of stdout.setEncoding('utf8')) {
    if (!told.includes('Bundling') && `${told}${text}`.includes('Bundling')) process.kill(-pid, 'SIGINT')
    told += text
  }
  assert.doesNotMatch(told, /Ctrl-C stops/)
  assert.match(await start(checkout, 'dev'), /^Bundling dependencies…$/m)
  assert.doesNotMatch(await start(checkout, 'dev'), /Bundling/)
})

/** @returns what it wrote until it served */
async function start(checkout: string, verb: 'dev' | 'start', adminPort = '0'): Promise<string> {
  const command = [process.execPath, '--conditions=integration-gateway-source', join(checkout, 'bin/ig.js')]
  const ports = ['--port', '0', '--admin-port', adminPort, ...(verb === 'dev' ? ['--issuer-port', '0'] : [])]
  const serving = startIg([verb, 'examples/reference', ...ports], { command, cwd: checkout, env: withTestKey({}) })
  await serving.until(verb === 'dev' ? /Ctrl-C stops/ : /serving \S+ at/)
  await serving.stop()
  return serving.log()
}

function copyCheckout(t: { after(end: () => void): void }): string {
  const checkout = mkdtempSync(join(tmpdir(), 'ig-checkout-'))
  t.after(() => rmSync(checkout, { recursive: true, force: true }))
  for (const part of ['bin', 'src', 'package.json', 'examples/reference'])
    cpSync(join(root, part), join(checkout, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
  for (const part of ['console', 'site']) {
    mkdirSync(join(checkout, part))
    writeFileSync(
      join(checkout, part, 'build.js'),
      `import { mkdirSync, writeFileSync } from 'node:fs'
      console.log('Building ${part}…')
      mkdirSync(import.meta.dirname + '/dist')
      writeFileSync(import.meta.dirname + '/dist/built-from.json', '')`,
    )
  }
  return checkout
}
