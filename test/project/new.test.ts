/** From nothing to a live operation: `ig new` of the packed gateway, in a folder outside of the checkout, as a user has it. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { after, before, test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'ig-new-')))
const checkout = join(scratch, 'checkout')
const home = join(scratch, 'home')
const project = join(home, 'my-gateway')

before(() => {
  const left = new Set(['.git', 'node_modules', 'dist', 'data'])
  cpSync(root, checkout, { recursive: true, filter: (path) => !left.has(basename(path)) })
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
  run('npm', ['pack', '--silent', '--pack-destination', scratch], checkout)
  const [tarball = ''] = globSync('*.tgz', { cwd: scratch })
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--omit=dev', join(scratch, tarball)]
  cpSync(join(root, 'LICENSE'), join(home, 'LICENSE'), { recursive: true })
  run('npm', ['install', ...install.slice(1), '--no-save'], home)
  const made = run('node_modules/.bin/ig', ['new', 'my-gateway'], home)
  assert.equal(made, 'my-gateway is made. Next:\n  cd my-gateway\n  npm install\n  npm run dev\n')
  run('npm', install, project)
  // What npm would fetch for development.
  symlinkSync(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'))
})
after(() => rmSync(scratch, { recursive: true, force: true }))

test('14.7 a new project type-checks, has no faults, and its test passes', () => {
  run(join(root, 'node_modules/.bin/tsc'), [], project)
  assert.equal(
    run('node_modules/.bin/ig', ['check'], project),
    'No faults: 1 operation, 1 service, 1 permission list.\n',
  )
  assert.match(run('npm', ['test'], project), /pass 1\n/)
})

test('14.1, 14.7 a new project is served by ig dev, and its handler is live when it is saved', async () => {
  const child = spawn(join(project, 'node_modules/.bin/ig'), ['dev', '--port', '0'], {
    cwd: project,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  after(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const until = async (pattern: RegExp) => {
    while (!pattern.test(output)) await once(child.stdout, 'data')
    return pattern.exec(output)
  }
  const [, curl = ''] = (await until(/^curl -u DEMO:demo-password (http\S+)$/m)) ?? []
  await until(/Ctrl-C stops/)
  const call = async () => {
    const response = await fetch(curl, { headers: { authorization: `Basic ${btoa('DEMO:demo-password')}` } })
    return response.text()
  }
  assert.match(await call(), /Hello hello, says DEMO/)
  const handler = join(project, 'handlers/hello.ts')
  writeFileSync(handler, readFileSync(handler, 'utf8').replace('Hello ${', 'Good morning ${'))
  await until(/Reloaded in \d+ ms: handlers\/hello\.ts/)
  assert.match(await call(), /Good morning hello, says DEMO/)
  child.kill('SIGINT')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('14.7 a folder that holds something is left alone', () => {
  const { status, stderr } = tryRun('node_modules/.bin/ig', ['new', 'my-gateway'], home)
  assert.deepEqual(
    [status, stderr],
    [1, 'ig: my-gateway is not empty. Name a folder that is empty, or does not exist yet.\n'],
  )
})

function environment(): Record<string, string | undefined> {
  const own = /^(IG_|NODE_|npm_(package|lifecycle)_|npm_config_local_prefix$)/
  const shell = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)))
  return { ...shell, PATH: [dirname(process.execPath), shell.PATH].join(delimiter), NO_COLOR: '1' }
}

function tryRun(command: string, args: readonly string[], cwd: string) {
  return spawnSync(command, args, { cwd, env: environment(), encoding: 'utf8' })
}

/** @returns its standard output */
function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = tryRun(command, args, cwd)
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error ?? ''}\n${stdout}\n${stderr}`)
  return stdout
}
