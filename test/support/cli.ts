/** The command line, on copies of projects: verbs that end run in the test's process, those that serve in one of their own. */
import type { StdioOptions } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterwards } from './afterwards.ts'
import { cleanEnvironment, type IgProcess, type Outcome, startIg } from './ig-process.ts'
import { conditions, igCommand, installed, root } from './installed.ts'
import { patientVariables } from './patience.ts'
import { runVerb } from './run-verb.ts'
import { withTestKey } from './secret-key.ts'

export type { IgProcess, Outcome }
export { root }

export interface RunOptions {
  readonly input?: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The input comes from a person at a terminal; not of a process of its own. */
  readonly isTTY?: boolean
}

export interface ServeOptions extends RunOptions {
  /** The Node that runs it. */
  readonly node?: string
  /** In place of `bin/ig.js`. */
  readonly script?: string
  readonly stdio?: StdioOptions
}

/** Verbs that serve until they are stopped: they take over signals and the end of their process. */
const serving = new Set(['dev', 'start', 'start-worker'])

/** Runs `ig` to its end: in this process, which spares most of a second of start, unless it is a verb that serves. */
export function ig(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  if (serving.has(args[0] ?? '')) return spawnIg(args, options)
  const { cwd = root, env = {}, input = '', isTTY } = options
  return runVerb(args, { cwd, env: environment(env), input, isTTY })
}

/** Runs `ig` to its end, in a process of its own as its users do. */
export async function spawnIg(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const serving = serve(args, options)
  serving.process.stdin?.end(options.input ?? '')
  return serving.ended
}

/** The one-time link, where no terminal takes it: in the file that the start names. */
export async function readSetupLink(serving: Pick<IgProcess, 'until'>) {
  const [, file = ''] = await serving.until(
    /create the first administrator with the link in (\S+), which works once and expires in a day\n/,
  )
  const [, url = '', token = ''] = /^(http:\S+)\/setup#([\w-]{43})\n$/.exec(readFileSync(file, 'utf8')) ?? []
  return { file, url, token }
}

/** Starts `ig`; what a test leaves running is ended after it. */
export function serve(args: readonly string[], options: ServeOptions = {}): IgProcess {
  const { cwd = root, env = {}, node = process.execPath, script, stdio = 'pipe' } = options
  const command = [node, ...(script === undefined ? igCommand : [...conditions, script])]
  const serving = startIg(args, { command, cwd, env: environment(env), stdio })
  const end = async () => {
    const { exitCode, signalCode } = serving.process
    if (exitCode === null && signalCode === null) serving.process.kill('SIGKILL')
    await serving.ended // its workers hold its outputs open: they have ended, too
  }
  endings.push({ places: [cwd, ...args], end })
  afterwards(end)
  return serving
}

function environment(given: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const fixed = { IG_ADMIN_PORT: 'off', IG_LIMITS_SHUTDOWNIDLE: '1ms' }
  return { ...cleanEnvironment(), ...patientVariables, ...fixed, ...withTestKey(given) }
}

const slowLoads = [
  'Still loading the project: on a busy machine this takes a moment. Nothing is served until it is loaded.\n',
  'Still loading handlers/hello.ts: if this lasts, its code waits for something or loops. The previous version is still served.\n',
]

/** Without what `ig dev` reports on a busy machine, word for word. */
export function withoutSlowLoads(stderr: string): string {
  return slowLoads.reduce((text, slow) => text.replaceAll(slow, ''), stderr)
}

const endings: { readonly places: readonly string[]; end(): Promise<void> }[] = []

/** Hooks run in the order they were made: before a folder is removed, what would still write to it is ended. */
export async function endServing(folder: string): Promise<void> {
  await Promise.all(endings.filter(({ places }) => places.includes(folder)).map(({ end }) => end()))
}

/** A copy of the reference project, with ports that are free; more files may be added or replaced. */
export function copyReference(files: Readonly<Record<string, string>> = {}): string {
  const folder = makeFolder()
  const source = join(root, 'examples/reference')
  cpSync(source, folder, { recursive: true, filter: (path) => path !== join(source, 'data') })
  return fill(folder, files)
}

export function makeProject(files: Readonly<Record<string, string>>): string {
  return fill(makeFolder(), files)
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ig-project-'))
  afterwards(async () => {
    await endServing(folder)
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

function fill(folder: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(installed, join(folder, 'node_modules/integration-gateway'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}
