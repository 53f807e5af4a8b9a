/** Starts a process of our own to talk to, and tells of its end in one way, also where it never began (specification 17.3). */
import { type ChildProcess, fork, type StdioOptions } from 'node:child_process'
import type { Socket } from 'node:net'

export interface ProcessStart<Heard> {
  readonly file: string
  readonly args: readonly string[]
  /** The Node that runs it. */
  readonly execPath: string
  /** Options of Node; by default those of this process. */
  readonly execArgv?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly stdio: StdioOptions
  /** Of its standard output, where that is a pipe. */
  readonly onOutput?: (chunk: Buffer) => void
  readonly onMessage: (message: Heard, handle: unknown) => void
}

export interface StartedProcess<Said> {
  /** Undefined where it could not be started. */
  readonly pid: number | undefined
  /** How: `ended by SIGKILL`, `ended with exit code 1`, `could not be started: …`. Never rejects. */
  readonly ended: Promise<string>
  /** Nothing to one that has ended; a socket is closed then. */
  say(message: Said, socket?: Socket): void
  /** It hears nothing more, and need not wait for that. */
  disconnect(): void
  kill(): void
}

/** Milliseconds for what a process wrote last; what it started itself may keep the pipe open for ever. */
const lastOutput = 100

export function startProcess<Said extends object, Heard>(start: ProcessStart<Heard>): StartedProcess<Said> {
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  const failed = (error: Error) => resolve(`could not be started: ${error.message}`)
  const child = tryFork(start, failed)
  child?.on('error', (error) => {
    if (child.pid === undefined) failed(error)
  })
  child?.on('message', start.onMessage)
  if (start.onOutput) child?.stdout?.on('data', start.onOutput)
  child?.on('exit', (code, signal) => {
    const how = `ended ${signal ? `by ${signal}` : `with exit code ${code}`}`
    const patience = setTimeout(() => {
      child.stdout?.destroy()
      resolve(how)
    }, lastOutput)
    child.on('close', () => {
      clearTimeout(patience)
      resolve(how)
    })
  })
  return {
    pid: child?.pid,
    ended,
    say(message, socket) {
      if (!child?.connected) return void socket?.destroy()
      child.send(message, socket, {}, (error) => void (error && socket?.destroy()))
    },
    disconnect() {
      if (child?.connected) child.disconnect()
    },
    kill: () => void child?.kill('SIGKILL'),
  }
}

/** Some failures of the system are thrown, others are events. */
function tryFork<Heard>(
  { file, args, execArgv = process.execArgv, ...options }: ProcessStart<Heard>,
  failed: (error: Error) => void,
): ChildProcess | undefined {
  try {
    return fork(file, args, { ...options, execArgv: [...execArgv] })
  } catch (error) {
    failed(error as Error)
    return undefined
  }
}
