/** Runs a verb of the command line in this process: one at a time, since they share the current folder. */
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { main } from '../../src/cli/main.ts'
import type { Terminal } from '../../src/terminal/terminal.ts'
import { withTestKey } from './secret-key.ts'

export interface VerbOptions {
  readonly cwd: string
  readonly env: Record<string, string | undefined>
  readonly input: string
  /** Both outputs in one, as a terminal shows them: `stdout` of the result. */
  readonly isMerged?: boolean
  /** The input comes from a person at a terminal. */
  readonly isTTY?: boolean | undefined
}

let previous: Promise<unknown> = Promise.resolve()
let runs = 0

export async function runVerb(args: readonly string[], options: VerbOptions) {
  const running = previous.then(() => run(args, options))
  previous = running.catch(() => {})
  return running
}

async function run(args: readonly string[], { cwd, env, input, isMerged, isTTY }: VerbOptions) {
  const [stdin, stdout, apart] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const stderr = isMerged ? stdout : apart
  const written = Promise.all([text(stdout), text(apart)])
  const terminal = { stdin: Object.assign(stdin, { isTTY }), stdout, stderr, env: withTestKey(env), exitCode: 0 }
  const before = process.cwd()
  runs += 1
  process.chdir(cwd)
  try {
    stdin.end(input)
    await main(args, terminal as unknown as Terminal)
  } finally {
    process.chdir(before)
    stdout.end()
    apart.end()
  }
  const [out, err] = await written
  return { code: terminal.exitCode, stdout: out, stderr: err }
}

/** A process loads a module once: modules of projects are other ones in each run, as a process of its own has them. */
const projects = pathToFileURL(join(tmpdir(), 'ig-')).href
registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    return resolved.url.startsWith(projects) ? { ...resolved, url: `${resolved.url}?run=${runs}` } : resolved
  },
})
