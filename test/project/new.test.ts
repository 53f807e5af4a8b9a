/**
 * From nothing to a live operation: docs/tutorial/first-operation.md as written, on a copy of the checkout and with the packed gateway
 * in a folder outside of it, as a user has it.
 */
import assert from 'node:assert/strict'
import { exec, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { afterwards } from '../support/afterwards.ts'
import { checkout, scratch } from '../support/packed.ts'
import { openRegistry } from '../support/registry.ts'
import { readTranscript, runProgram } from '../support/transcript.ts'

const root = join(import.meta.dirname, '../..')
const shell = promisify(exec)
const project = join(scratch, 'my-gateway')
const tutorial = readFileSync(join(root, 'docs/tutorial/first-operation.md'), 'utf8')
const commands = readTranscript(tutorial)

test('14.1, 14.5, 14.7 docs/tutorial/first-operation.md, followed to the letter, leads from nothing to a working operation', async () => {
  assert.ok(commands.length > 8)
  let folder = checkout
  let serving: Dev | undefined
  let seen = 0
  for (const { line, expected: output } of commands) {
    if (line === 'npm ci') continue // its node_modules are there
    if (line.startsWith('cd ')) {
      folder = join(folder, line.slice(3))
    } else if (line === 'npm run dev') {
      serving = serveProject()
      await serving.until(/Ctrl-C stops\. The data is kept for the next start\./)
    } else if (serving && line.startsWith('curl ')) {
      const url = serving.url()
      if (output.includes('Hello World')) assert.equal((await runProgram(tutorial, url)).trimEnd(), output)
      assert.equal(run('sh', ['-c', line.replace('http://127.0.0.1:8080', url)], folder), output, line)
    } else if (serving) {
      run('sh', ['-c', line], folder)
      seen = await serving.untilSame(output, seen)
    } else {
      const actual = run('sh', ['-c', line], folder)
      if (output !== '') assert.ok(mask(actual).includes(mask(output)), `${line}\n${actual}`)
    }
    if (line === 'npm install') symlinkSync(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'))
  }
  assert.equal(await serving?.stop(), 0)
})

test('14.7 the documents that AGENTS.md of a new project names are in the package', () => {
  const text = readFileSync(join(project, 'AGENTS.md'), 'utf8')
  const folder = 'node_modules/integration-gateway'
  const named = [...text.matchAll(/`([\w-]+\/sdk\.md|[\w-]+\/handlers\.md|README\.md)`/g)].map(
    ([, page = '']) => `docs/${page}`,
  )
  assert.ok(text.includes(`\`${folder}/docs/\``) && text.includes(`\`${folder}/examples/hr/\``) && named.length === 3)
  for (const path of [...named, 'examples/hr/test/hr.test.ts']) assert.ok(existsSync(join(project, folder, path)), path)
})

test('14.7 a new project type-checks and has no errors', () => {
  run(join(root, 'node_modules/.bin/tsc'), [], project)
  assert.equal(
    run('node_modules/.bin/ig', ['check'], project),
    'No errors: 1 operation, 1 service, 1 permission list.\n',
  )
})

test('14.7 its scripts run on the Node.js that the gateway needs, whatever the machine has', () => {
  const { devDependencies, allowScripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(devDependencies.node, own.devDependencies.node)
  assert.deepEqual(allowScripts, { node: true })
})

test('14.7 in the checkout the project depends on the packed checkout, and is not created if that cannot be packed', () => {
  const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  assert.match(dependencies['integration-gateway'], /^file:integration-gateway-[\d.]+(?:-[\w.]+)?\.tgz$/)
  const folder = join(scratch, 'not-packed')
  const ig = [join(checkout, 'bin/ig.js'), 'new', folder]
  const noNpm = { PATH: join(scratch, 'nothing') }
  const { status, stderr } = tryRun(
    process.execPath,
    ['--conditions=integration-gateway-source', ...ig],
    scratch,
    noNpm,
  )
  assert.equal(status, 1)
  assert.match(stderr, /^ig: the checkout cannot be packed/)
  assert.ok(!existsSync(folder))
})

test('14.7, 32.3 npm create makes a project, and the next lines that it prints work with a registry that has the gateway', async () => {
  const create = join(root, 'create')
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', scratch], create))
  const files = packed.files.map(({ path }: { readonly path: string }) => path)
  assert.deepEqual(files, ['LICENSE', 'README.md', 'bin/create.js', 'package.json'])
  const created = JSON.parse(readFileSync(join(create, 'package.json'), 'utf8'))
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(created.version, own.version)
  const { url, close } = await openRegistry(
    [
      { manifest: created, file: join(scratch, `create-integration-gateway-${own.version}.tgz`) },
      { manifest: own, file: join(project, `integration-gateway-${own.version}.tgz`) },
    ],
    run('npm', ['config', 'get', 'registry'], scratch).trim(),
  )
  afterwards(close)
  const cache = join(scratch, 'npm-cache') // what npm runs is kept in one of the test's own
  mkdirSync(cache)
  symlinkSync(join(run('npm', ['config', 'get', 'cache'], scratch).trim(), '_cacache'), join(cache, '_cacache'))
  const env = { ...environment(), npm_config_registry: url, npm_config_cache: cache }

  const { stdout } = await shell('npm create --yes integration-gateway@next by-name', { cwd: scratch, env })
  const [, next = ''] = /^Created by-name\. Next:\n([\s\S]*?)^Then/m.exec(stdout) ?? []
  const [enter = '', ...lines] = next.split('\n').map((line) => line.trim().split(/ {2,}/)[0] ?? '')
  assert.deepEqual([enter, ...lines], ['cd by-name', 'npm install', 'npm test', 'npm run dev', ''])
  for (const line of ['npm install', 'npm test']) await shell(`${enter} && ${line}`, { cwd: scratch, env })
  const installed = join(scratch, 'by-name/node_modules/integration-gateway')
  assert.equal(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).version, own.version)
  assert.match(
    stdout,
    new RegExp(`npm install <checkout>/integration-gateway-${own.version}\\.tgz instead of npm install\\.$`, 'm'),
  )
})

/** What differs from one run to the next. */
function mask(text: string): string {
  return text.replace(/[\d.]+ ?ms/g, '* ms').trim()
}

interface Dev {
  url(): string
  until(pattern: RegExp): Promise<void>
  /** @returns how much of the output has been seen */
  untilSame(expected: string, seen: number): Promise<number>
  stop(): Promise<number | null>
}

function serveProject(): Dev {
  const ig = join(project, 'node_modules/.bin/ig')
  const child = spawn(ig, ['dev', '--port', '0'], {
    cwd: project,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  afterwards(() => child.kill('SIGKILL'))
  let output = ''
  const wrote = new EventTarget()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      wrote.dispatchEvent(new Event('more'))
    })
  }
  return {
    url: () => /Gateway +(http:\/\/[\d.:]+)/.exec(output)?.[1] ?? '',
    async until(pattern) {
      while (!pattern.test(output)) await once(wrote, 'more')
    },
    async untilSame(expected, seen) {
      for (;;) {
        const at = mask(output.slice(seen)).indexOf(mask(expected))
        if (at >= 0) return output.length
        await once(wrote, 'more')
      }
    },
    async stop() {
      child.kill('SIGINT')
      const [code] = await once(child, 'exit')
      return code
    },
  }
}

function environment(): Record<string, string | undefined> {
  const own = /^(IG_|NODE_(?!EXTRA_CA_CERTS$)|npm_(package|lifecycle)_|npm_config_local_prefix$)/
  const shell = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)))
  const npm = {
    npm_config_omit: 'dev',
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_fetch_retries: '0',
  }
  return {
    ...shell,
    ...npm,
    PATH: [dirname(process.execPath), shell.PATH].join(delimiter),
    NO_COLOR: '1',
    IG_ADMIN_PORT: 'off',
  }
}

function tryRun(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  return spawnSync(command, args, { cwd, env: { ...environment(), ...env }, encoding: 'utf8' })
}

/** @returns its standard output */
function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = tryRun(command, args, cwd)
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error ?? ''}\n${stdout}\n${stderr}`)
  return stdout
}
