/**
 * The supervisor of `ig dev`: one process serves; when a file of the project changes, another one is started, and takes
 * over once it is ready. Where it does not get ready, the one before goes on (specification 14.1 to 14.6).
 */
import type { Socket } from 'node:net'
import type { Entrance, FromWorker, IssuerPlace, Ready, WorkerOptions } from './messages.ts'
import type { SampleIssuerClient } from './sample-issuer.ts'
import { startWorker, type WorkerProcess } from './worker-process.ts'

export interface SuperviseOptions {
  readonly worker: WorkerOptions
  /** Opens the sample issuer, or tells it of other clients. Rejects where it cannot be had. */
  readonly keepIssuer: (clients: readonly SampleIssuerClient[] | undefined) => Promise<IssuerPlace | undefined>
  readonly tell: Tell
}

export interface Tell {
  /** Once, for the first process. */
  started(ready: Ready): void
  reloaded(change: Reload): void
  failed(text: string, rest: Failed): void
  /** What was saved is not ready after a while, and may never be. */
  slow(files: readonly string[], isServing: boolean): void
  restarting(how: string): void
}

export interface Failed {
  /** The process before goes on. */
  readonly isServing: boolean
  /** By a change of a file: it is waited for. */
  readonly canBeMended: boolean
}

export interface Reload {
  readonly files: readonly string[]
  readonly milliseconds: number
  readonly ready: Ready
  readonly before: Ready
}

export interface Supervisor {
  /** What became of the first process: it serves; its project has faults; or what no change of a file can mend. */
  readonly first: Promise<'serving' | 'faulty' | 'failed'>
  take(socket: Socket, entrance: Entrance): void
  replace(files: readonly string[], since: number): void
  close(): Promise<void>
}

/** Milliseconds after which nobody should wonder in silence: code may wait, or loop, without end. */
const slowAfter = 3_000

/** Milliseconds before a process that ends by itself is started again: at once, then ever later, while it keeps ending. */
const backOff = { first: 0, step: 250, most: 5_000, healthyAfter: 10_000 }

export function supervise({ worker: options, keepIssuer, tell }: SuperviseOptions): Supervisor {
  const { promise: first, resolve: settleFirst } = Promise.withResolvers<'serving' | 'faulty' | 'failed'>()
  const alive = new Set<WorkerProcess>()
  const waiting: { readonly socket: Socket; readonly entrance: Entrance }[] = []
  let serving: { readonly worker: WorkerProcess; readonly since: number } | undefined
  let starting:
    | { readonly worker: WorkerProcess; readonly files: readonly string[]; readonly since: number }
    | undefined
  /** Waits with everything loaded that does not depend on the project: a change is live in half the time. */
  let standby: WorkerProcess | undefined
  let last: Ready | undefined
  let isClosing = false
  let pause = backOff.first
  let restart: NodeJS.Timeout | undefined
  let slow: NodeJS.Timeout | undefined

  const take = (socket: Socket, entrance: Entrance) => {
    if (isClosing || isIdle()) socket.destroy()
    else if (serving) serving.worker.give(socket, entrance)
    else waiting.push({ socket, entrance })
  }
  /** Nothing serves and nothing is about to. */
  const isIdle = () => !serving && !starting && !restart

  const start = (files: readonly string[], since: number) => {
    clearTimeout(restart)
    restart = undefined
    starting?.worker.kill() // what it read is out of date
    const worker = standby ?? fork()
    standby = undefined
    worker.say({ kind: 'open', options, isFirst: last === undefined })
    starting = { worker, files, since }
    clearTimeout(slow)
    slow = setTimeout(() => starting?.worker === worker && tell.slow(files, serving !== undefined), slowAfter)
  }

  const fork = () => {
    const worker = startWorker({ onMessage: hear, onConnection: take, onExit: bury })
    alive.add(worker)
    return worker
  }

  const hear = (message: FromWorker, worker: WorkerProcess) => {
    if (message.kind === 'leaving' && serving?.worker === worker) lose(serving.since, 'ended by an uncaught error')
    if (starting?.worker !== worker) return
    if (message.kind === 'project') {
      keepIssuer(message.clients).then(
        (issuer) => worker.say({ kind: 'issuer', issuer }),
        (error) => {
          if (starting?.worker === worker) fail(`ig: ${error.message}`, 'failed')
          worker.kill()
        },
      )
    } else if (message.kind === 'ready') succeed(message)
    else if (message.kind === 'failed') fail(message.text)
  }

  const succeed = (ready: Ready) => {
    if (!starting) return
    const { worker, files, since } = starting
    const old = serving
    starting = undefined
    serving = { worker, since: performance.now() }
    for (const { socket, entrance } of waiting.splice(0)) take(socket, entrance)
    old?.worker.stop(last?.shutdownGrace ?? 0)
    const before = last
    last = ready
    if (!before) tell.started(ready)
    else
      (old?.worker.retired ?? Promise.resolve()).then(() =>
        tell.reloaded({ files, milliseconds: performance.now() - since, ready, before }),
      )
    standby ??= fork()
    settleFirst('serving')
  }

  const fail = (text: string, outcome: 'faulty' | 'failed' = 'faulty') => {
    starting = undefined
    const isServing = serving !== undefined
    tell.failed(text, { isServing, canBeMended: outcome === 'faulty' || last !== undefined })
    settleFirst(outcome)
    if (!serving) for (const { socket } of waiting.splice(0)) socket.destroy()
  }

  const bury = (how: string, worker: WorkerProcess) => {
    alive.delete(worker)
    if (standby === worker) standby = undefined
    if (isClosing) return
    if (starting?.worker === worker) fail(`ig: The process that was to serve ${how}.`)
    else if (serving?.worker === worker) lose(serving.since, how)
  }

  const lose = (since: number, how: string) => {
    serving = undefined
    if (isClosing) return
    tell.restarting(how)
    if (starting) return
    if (performance.now() - since > backOff.healthyAfter) pause = backOff.first
    const noticed = performance.now()
    restart = setTimeout(() => start([], noticed), pause)
    pause = Math.min(backOff.most, pause * 2 + backOff.step)
  }

  // Who does not wait for the end (a second Ctrl-C) leaves nobody behind, not even one that loops without end.
  process.once('exit', () => {
    for (const worker of alive) worker.kill()
  })
  start([], performance.now())
  return {
    first,
    take,
    replace(files, since) {
      if (isClosing) return
      pause = backOff.first
      start(files, since)
    },
    async close() {
      isClosing = true
      clearTimeout(restart)
      clearTimeout(slow)
      starting?.worker.kill()
      standby?.kill()
      for (const { socket } of waiting.splice(0)) socket.destroy()
      for (const worker of alive) worker.stop(last?.shutdownGrace ?? 0)
      await Promise.all(Array.from(alive, ({ ended }) => ended))
    },
  }
}
