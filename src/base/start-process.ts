/**
 * Starts a child process for messages, and reports its end in one way, also if it never started (specification 17.3).
 */

import { type ChildProcess, fork, type StdioOptions } from 'node:child_process'
import { Server, type Socket } from 'node:net'
import { setTimeout } from './timers.ts'

export interface ProcessStart<Incoming> {
  readonly file: string
  readonly args: readonly string[]
  /** The Node that runs it. */
  readonly execPath: string
  /** Options of Node; by default those of this process. */
  readonly execArgv?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly stdio: StdioOptions
  /** Receives its standard output, if that is a pipe. */
  readonly onOutput?: (chunk: Buffer) => void
  readonly onMessage: (message: Incoming, handle: unknown) => void
}

export interface StartedProcess<Outgoing> {
  /** Undefined if it could not be started. */
  readonly pid: number | undefined
  /** Its end: `ended by SIGKILL`, `ended with exit code 1`, `could not be started: …`. Never rejects. */
  readonly ended: Promise<string>
  /** Does nothing after its end, except close a socket. */
  send(message: Outgoing, socket?: Socket): void
  /** The process has the handle afterwards, and this one no longer. */
  give(message: Outgoing, handle: Server | Socket): void
  /** Disconnects it; it need not notice. */
  disconnect(): void
  kill(): void
}

/** Milliseconds for its last output; its own child processes may keep the pipe open forever. */
const lastOutput = 100

export function startProcess<Outgoing extends object, Incoming>(
  start: ProcessStart<Incoming>,
): StartedProcess<Outgoing> {
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
    send(message, socket) {
      if (!child?.connected) return void socket?.destroy()
      child.send(message, socket, { keepOpen: true }, (error) => void (error && socket?.destroy()))
    },
    give(message, handle) {
      const close = () => void (handle instanceof Server ? handle.close() : handle.destroy())
      if (!child?.connected) return close()
      child.send(message, handle, {}, (error) => {
        if (error || handle instanceof Server) close() // Node closes a socket when the other process has it
      })
    },
    disconnect() {
      if (child?.connected) child.disconnect()
    },
    kill() {
      // Node signals whatever id the handle has if the process never began: 0 is the whole group of processes
      if (child?.pid !== undefined) child.kill('SIGKILL')
    },
  }
}

/** The system throws some failures and emits others. */
function tryFork<Incoming>(
  { file, args, execArgv = process.execArgv, ...options }: ProcessStart<Incoming>,
  failed: (error: Error) => void,
): ChildProcess | undefined {
  try {
    return fork(file, args, { ...options, execArgv: [...execArgv] })
  } catch (error) {
    failed(error as Error)
    return undefined
  }
}
