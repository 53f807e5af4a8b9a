/**
 * The reloader of `ig dev`: one process serves; after a file change another one starts and takes over when it is
 * ready. If it fails, the previous one continues (specification 14.1 to 14.6).
 */

import type { Socket } from 'node:net'
import { setTimeout } from '../../base/timers.ts'
import type { SampleIssuerClient } from './sample-issuer.ts'
import type { Entrance, FromServer, IssuerPlace, ReadyMessage, ServerOptions } from './server-messages.ts'
import { type ServerProcess, spawnServer } from './spawn-server.ts'

export interface ReloaderOptions {
  readonly server: ServerOptions
  /** The database that the settings named at the start. */
  readonly database: string
  /** Opens the sample issuer, or replaces its clients. Rejects if it cannot open. */
  readonly keepIssuer: (clients: readonly SampleIssuerClient[] | undefined) => Promise<IssuerPlace | undefined>
  readonly report: DeveloperReport
}

export interface DeveloperReport {
  /** Once, for the first process. */
  started(ready: ReadyMessage): void
  reloaded(change: Reload): void
  failed(text: string, rest: ReloadFailure): void
  /** A saved change is not ready after a while, and may never be. */
  slow(files: readonly string[], isServing: boolean): void
  restarting(how: string): void
}

export interface ReloadFailure {
  /** The previous process continues. */
  readonly isServing: boolean
  /** Whether a file change can help; the reloader then waits for one. */
  readonly canBeFixed: boolean
}

export interface Reload {
  readonly files: readonly string[]
  readonly milliseconds: number
  readonly ready: ReadyMessage
  readonly before: ReadyMessage
}

export interface Reloader {
  /** The result of the first process: it serves; its project has errors; or a failure that no file change can fix. */
  readonly first: Promise<'serving' | 'invalid' | 'failed'>
  take(socket: Socket, entrance: Entrance): void
  replace(files: readonly string[], since: number): void
  close(): Promise<void>
}

/** Milliseconds until a message explains the delay: code may wait or loop forever. */
const slowAfter = 3_000

/**
 * Milliseconds before a process that ends on its own is restarted: none at first, then doubling while it keeps ending.
 */
const backOff = { first: 0, step: 250, max: 5_000, healthyAfter: 10_000 }

export function openReloader({ server: options, database, keepIssuer, report }: ReloaderOptions): Reloader {
  const { promise: first, resolve: settleFirst } = Promise.withResolvers<'serving' | 'invalid' | 'failed'>()
  const alive = new Set<ServerProcess>()
  const waiting: { readonly socket: Socket; readonly entrance: Entrance }[] = []
  let serving: { readonly server: ServerProcess; readonly since: number } | undefined
  let starting:
    | { readonly server: ServerProcess; readonly files: readonly string[]; readonly since: number }
    | undefined
  /**
   * A waiting process with everything loaded that does not depend on the project: it halves the time until a change is
   * live.
   */
  let standby: ServerProcess | undefined
  let last: ReadyMessage | undefined
  let isClosing = false
  let pause = backOff.first
  let restart: NodeJS.Timeout | undefined
  let slow: NodeJS.Timeout | undefined

  const take = (socket: Socket, entrance: Entrance) => {
    if (isClosing || isIdle()) socket.destroy()
    else if (serving) serving.server.give(socket, entrance)
    else waiting.push({ socket, entrance })
  }
  /** No process serves, and none is starting. */
  const isIdle = () => !serving && !starting && !restart

  const start = (files: readonly string[], since: number) => {
    clearTimeout(restart)
    restart = undefined
    starting?.server.kill() // the files it read are outdated
    const server = standby ?? fork()
    standby = undefined
    server.send({ kind: 'open', options, isFirst: last === undefined })
    starting = { server, files, since }
    clearTimeout(slow)
    slow = setTimeout(() => starting?.server === server && report.slow(files, serving !== undefined), slowAfter)
  }

  const fork = () => {
    const server = spawnServer({ onMessage: hear, onConnection: take, onExit: bury })
    alive.add(server)
    server.send({ kind: 'prepare', database })
    return server
  }

  const hear = (message: FromServer, server: ServerProcess) => {
    if (message.kind === 'leaving' && serving?.server === server) lose(serving.since, 'ended by an uncaught error')
    if (starting?.server !== server) return
    if (message.kind === 'project') {
      keepIssuer(message.clients).then(
        (issuer) => server.send({ kind: 'issuer', issuer }),
        (error) => {
          if (starting?.server === server) fail(`ig: ${error.message}`, 'failed')
          server.kill()
        },
      )
    } else if (message.kind === 'ready') succeed(message)
    else if (message.kind === 'failed') fail(message.text, message.outcome)
  }

  const succeed = (ready: ReadyMessage) => {
    if (!starting) return
    const { server, files, since } = starting
    const old = serving
    starting = undefined
    serving = { server, since: performance.now() }
    for (const { socket, entrance } of waiting.splice(0)) take(socket, entrance)
    old?.server.stop(last?.shutdownGrace ?? 0)
    const before = last
    last = ready
    if (!before) report.started(ready)
    else
      (old?.server.retired ?? Promise.resolve()).then(() =>
        report.reloaded({ files, milliseconds: performance.now() - since, ready, before }),
      )
    standby ??= fork()
    settleFirst('serving')
  }

  const fail = (text: string, outcome: 'invalid' | 'failed' = 'invalid') => {
    starting = undefined
    const isServing = serving !== undefined
    report.failed(text, { isServing, canBeFixed: outcome === 'invalid' || last !== undefined })
    settleFirst(outcome)
    if (!serving) for (const { socket } of waiting.splice(0)) socket.destroy()
  }

  const bury = (how: string, server: ServerProcess) => {
    alive.delete(server)
    if (standby === server) standby = undefined
    if (isClosing) return
    if (starting?.server === server) fail(`ig: The serving process ${how}.`)
    else if (serving?.server === server) lose(serving.since, how)
  }

  const lose = (since: number, how: string) => {
    serving = undefined
    if (isClosing) return
    report.restarting(how)
    if (starting) return
    if (performance.now() - since > backOff.healthyAfter) pause = backOff.first
    const noticed = performance.now()
    restart = setTimeout(() => start([], noticed), pause)
    pause = Math.min(backOff.max, pause * 2 + backOff.step)
  }

  // A second Ctrl-C does not wait for the end: it kills all processes, even one in an endless loop.
  process.once('exit', () => {
    for (const server of alive) server.kill()
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
      starting?.server.kill()
      standby?.kill()
      for (const { socket } of waiting.splice(0)) socket.destroy()
      for (const server of alive) server.stop(last?.shutdownGrace ?? 0)
      await Promise.all(Array.from(alive, ({ ended }) => ended))
    },
  }
}
