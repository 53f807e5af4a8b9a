/** The one way in which tests and ordeals start `ig` as a process of its own. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { igCommand, root } from './installed.ts'

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface ProcessOptions {
  /** In place of this Node with `bin/ig.js`. */
  readonly command?: readonly string[]
  readonly cwd?: string
  /** In addition to `cleanEnvironment`. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stdio?: StdioOptions
}

export interface IgProcess {
  readonly process: ChildProcess
  readonly ended: Promise<Outcome>
  /** Everything that it wrote so far, in the order in which it came. */
  log(): string
  /** Waits until what it wrote to either output matches. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  /** `until`, for what it writes from now on. */
  fromNow(): IgProcess['until']
  /** Stops it by a signal, in order. */
  stop(signal?: NodeJS.Signals): Promise<Outcome>
}

export function startIg(args: readonly string[], options: ProcessOptions = {}): IgProcess {
  const { command = [process.execPath, ...igCommand], cwd = root, env = {}, stdio = 'pipe' } = options
  const [file = '', ...before] = command
  const child = spawn(file, [...before, ...args], { cwd, env: { ...cleanEnvironment(), ...env }, stdio })
  let stdout = ''
  let stderr = ''
  let log = ''
  const wrote = new EventTarget()
  const tell = () => wrote.dispatchEvent(new Event('more'))
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text
    log += text
    tell()
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
    log += text
    tell()
  })
  const ended = once(child, 'close').then(([code]) => {
    tell()
    return { code, stdout, stderr } as Outcome
  })
  const untilAfter =
    (out: number, err: number): IgProcess['until'] =>
    async (pattern) => {
      // A test that waits until its time is over shows no cause
      const late = setTimeout(() => console.error(`Still waiting for ${pattern}:\n${stdout}\n${stderr}`), 180_000)
      try {
        for (;;) {
          const match = pattern.exec(stdout.slice(out)) ?? pattern.exec(stderr.slice(err))
          if (match) return match
          if (child.exitCode !== null || child.signalCode !== null)
            throw new Error(`ig ended before ${pattern} came:\n${stdout}\n${stderr}`)
          await once(wrote, 'more')
        }
      } finally {
        clearTimeout(late)
      }
    }
  return {
    process: child,
    ended,
    log: () => log,
    until: untilAfter(0, 0),
    fromNow: () => untilAfter(stdout.length, stderr.length),
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** That of the tests, without what they were started with; the folder of a coverage report is kept. */
export function cleanEnvironment(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(
    ([name]) => name === 'NODE_V8_COVERAGE' || !/^(IG_|NODE_|npm_)/.test(name),
  )
  return { ...Object.fromEntries(kept), NO_COLOR: '1' }
}
