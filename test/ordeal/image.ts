/**
 * `deploy/Dockerfile`, built and run without a registry of images: its base is a Debian made by debootstrap with this Node and
 * npm, and buildah needs no daemon. The containers share the network of the machine.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Ordeal, OrdealOptions, Tally } from './ordeal.ts'

const root = join(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache/ordeal/image')
/** Kept for the next run. */
const debian = join(cache, 'debian')
const dockerfile = join(root, 'deploy/Dockerfile')
/** What the Dockerfile begins from; buildah takes it from its own store. */
const base = 'docker.io/library/node:24-slim'
const authoritiesInside = '/usr/local/share/authorities.crt'
const inside = ['--isolation', 'chroot']
const password = 'a long password'
const run = promisify(execFile)

export const image: Ordeal = {
  name: 'image',
  title: 'deploy/Dockerfile is built and run by buildah, on a Debian made by debootstrap',
  figure: 'the image runs as user 1000, cannot change its code, is healthy and answers calls',
  trials: 1,
  needs() {
    if (process.getuid?.() !== 0) return 'root, for debootstrap and buildah'
    const missing = ['buildah', 'debootstrap', 'npm'].filter((name) => findProgram(name) === undefined)
    return missing.length > 0 ? `on the path: ${missing.join(', ')}` : undefined
  },
  open: async (options) => ({ trial: () => buildAndRun(options), close: async () => {} }),
  judge({ answered = 0, healthy = 0, asUser = 0, codeKept = 0 }, trials) {
    const faults: string[] = []
    if (answered < trials) faults.push('a call was not answered')
    if (healthy < trials) faults.push('a container was not healthy')
    if (asUser < trials) faults.push('a container ran as another user than 1000')
    if (codeKept < trials) faults.push('a container could change its code')
    return faults
  },
}

async function buildAndRun({ say, signal }: OrdealOptions): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-image-'))
  const project = join(folder, 'project')
  const options = { cwd: root, signal, maxBuffer: 64 * 1024 ** 2 }
  const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs']
  const buildah = async (...args: readonly string[]) =>
    (await run('buildah', [...storage, ...args], options)).stdout.trim()
  try {
    say('debootstrap')
    await makeDebian(options)
    say('the base image')
    const npm = await readNpmSettings()
    await makeBase(buildah, npm.authorities)
    say('a project, which packs the gateway')
    await run('npm', ['run', '--silent', 'ig', '--', 'new', project], options)
    await run('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { ...options, cwd: project })
    say('the image')
    const secret = join(folder, 'npmrc')
    writeFileSync(secret, npm.settings)
    await makeImage(buildah, project, secret)
    say('a container')
    const container = await buildah('from', '--pull-never', 'gateway')
    const { config } = JSON.parse(await buildah('inspect', container)).Docker
    const within = (...command: readonly string[]) => buildah('run', ...inside, container, '--', ...command)
    const user = await within('id', '--user')
    const codeKept = await succeeds(within('touch', 'gateway.config.ts')).then((could) => !could)
    const enter = [...storage, 'run', ...inside, '--env', 'IG_PORT=0', '--env', 'IG_ADMIN_PORT=off', container, '--']
    await addOperator([...enter, ...config.Entrypoint])
    const served = await serve([...enter, ...config.Entrypoint, ...config.Cmd])
    return { ...served, asUser: +(user === '1000'), codeKept: +codeKept }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Buildah = (...args: readonly string[]) => Promise<string>

async function makeDebian(options: object): Promise<void> {
  if (existsSync(debian)) return
  const incomplete = `${debian}.incomplete`
  rmSync(incomplete, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  await run('debootstrap', ['--variant=minbase', 'stable', incomplete], options)
  renameSync(incomplete, debian)
}

/** The registry of this machine, and the file of authorities that signs for it, if npm has one. */
async function readNpmSettings(): Promise<{ settings: string; authorities: string | undefined }> {
  const read = async (key: string) => (await run('npm', ['config', 'get', key], { cwd: root })).stdout.trim()
  const authorities = await read('cafile')
  const settings = `registry=${await read('registry')}\n`
  if (authorities === 'null') return { settings, authorities: undefined }
  return { settings: `${settings}cafile=${authoritiesInside}\n`, authorities }
}

async function makeBase(buildah: Buildah, authorities: string | undefined): Promise<void> {
  const container = await buildah('from', 'scratch')
  const within = (...command: readonly string[]) => buildah('run', ...inside, container, '--', ...command)
  const npm = realpathSync(join(findProgram('npm') ?? '', '../../lib/node_modules/npm'))
  await buildah('copy', container, debian, '/')
  await buildah('copy', container, realpathSync(join(root, 'node_modules/node/bin/node')), '/usr/local/bin/node')
  await buildah('copy', container, npm, '/usr/local/lib/node_modules/npm')
  if (authorities !== undefined) await buildah('copy', container, authorities, authoritiesInside)
  await within('ln', '--symbolic', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm')
  await within('useradd', '--uid', '1000', '--create-home', 'node')
  await buildah('commit', '--rm', container, base)
}

async function makeImage(buildah: Buildah, project: string, npmrc: string): Promise<void> {
  const { stdout: npmCache } = await run('npm', ['config', 'get', 'cache'])
  const outside = ['--pull-never', '--network', 'host', '--volume', `${npmCache.trim()}:/root/.npm`]
  const files = [
    '--ignorefile',
    `${dockerfile}.dockerignore`,
    '--file',
    dockerfile,
    '--secret',
    `id=npmrc,src=${npmrc}`,
  ]
  await buildah('build', ...inside, ...outside, ...files, '--format', 'docker', '--tag', 'gateway', project)
}

async function addOperator(command: readonly string[]): Promise<void> {
  const args = ['operator', 'add', 'KIM', '--permission-list', 'GREETINGS_ALL', '--password-stdin']
  const child = spawn('buildah', [...command, ...args], { stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin.end(password)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`ig operator add ended with ${code}`)
}

async function serve(command: readonly string[]): Promise<Tally> {
  const child = spawn('buildah', command, {
    detached: true, // its processes are one group
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  try {
    const url = await findUrl(child.stdout)
    const healthy = (await fetch(`${url}/healthz`)).status === 200
    const answer = await fetch(`${url}/PSIGW/RESTListeningConnector/LOCAL_NODE/HELLO.v1/World`, {
      headers: { authorization: `Basic ${btoa(`KIM:${password}`)}` },
    })
    const answered = answer.status === 200 && (await answer.text()).includes('Hello World, says KIM')
    return { answered: +answered, healthy: +healthy }
  } finally {
    if (child.exitCode === null) process.kill(-Number(child.pid), 'SIGTERM')
    await closed
  }
}

async function findUrl(output: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const line of createInterface({ input: output })) {
    text += `${line}\n`
    const [, url] = /Serving revision 1 at (http:[\d./:]+\d)/.exec(line) ?? []
    if (url === undefined) continue
    output.resume()
    return url.replace('0.0.0.0', '127.0.0.1')
  }
  throw new Error(`the container ended:\n${text}`)
}

const succeeds = (work: Promise<unknown>) =>
  work.then(
    () => true,
    () => false,
  )

function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}
