/**
 * A circuit breaker for a PostgreSQL server that stops answering while its connections stay open (specification 5.14).
 * It watches all connections of a store, and the change feed queries several times a second, so a long statement does
 * not trip it. If only connections are lost and new ones work, it cuts the lost ones.
 */

import { Socket } from 'node:net'
import pg from 'pg'
import { setInterval } from '../../base/timers.ts'
import { Refusal } from '../../model/refusal.ts'
import { StoreOutage } from '../faults.ts'
import { asOutage, endsSilence, isSilence } from './connection-lost.ts'

export interface Breaker {
  /**
   * @param giveBack receives an answer after the wait was given up @throws StoreOutage at once while the server is silent
   */
  ask<T>(question: () => Promise<T>, giveBack?: (late: T) => void): Promise<T>
  /**
   * A query that a server answers at once, whatever is locked and however slow its disk: if a new connection answers
   * it, this one is lost.
   */
  askPromptly<T>(question: () => Promise<T>): Promise<T>
  /** The pools connect through it, so that it can cut their connections. */
  readonly stream: () => Socket
  /** @param cutIdle called if a connection was lost: idle ones may be, too */
  onLoss(cutIdle: () => void): void
  /** Cuts every connection. */
  close(): void
}

interface Question {
  readonly number: number
  /** Time on the breaker's clock. */
  readonly askedAt: number
  readonly isPrompt: boolean
  readonly giveUp: (reason: StoreOutage) => void
}

/** Milliseconds: a call is refused within five seconds. */
const usualSilence = 4_000

export function openBreaker(connectionString: string, silentAfter = usualSilence): Breaker {
  const every = silentAfter / 16
  /**
   * After half the time, a cheap query distinguishes a locked table from a lost server; it is repeated until one is
   * answered.
   */
  const probes = {
    from: silentAfter / 2,
    every: silentAfter / 8,
    wait: (silentAfter * 3) / 4,
    running: new Map<Socket, number>(),
  }
  const sockets = new Set<Socket>()
  const pending = new Set<Question>()
  const idleCutters: (() => void)[] = []
  /** Milliseconds that this process was awake, up to the last check: while it was blocked, answers arrived unread. */
  let awakeTime = 0
  let isTripped = false
  /** Start of the oldest unanswered query. */
  let since: number | undefined
  /** Number of queries so far, and the same number when a pool connection last answered. */
  let askedCount = 0
  let askedAtLastAnswer = 0
  let probed = Number.NEGATIVE_INFINITY
  let last = performance.now()

  const reset = () => {
    isTripped = false
    since = pending.size > 0 ? awakeTime : undefined
  }
  const trip = () => {
    isTripped = true
    since = undefined
    const waiting = [...pending]
    pending.clear()
    for (const { giveUp } of waiting) giveUp(silent())
    for (const socket of sockets) socket.destroy()
  }
  const isOverdue = (question: Question) => question.isPrompt && awakeTime - question.askedAt >= probes.from
  const cutIdle = () => {
    for (const cut of idleCutters) cut()
  }
  /**
   * A new connection has answered. Connections with unanswered queries are lost: all of them, if none has answered
   * since.
   */
  const cutLost = () => {
    const lost = [...pending].filter(isOverdue)
    const [first] = lost
    if (!first) return
    for (const question of lost) {
      pending.delete(question)
      question.giveUp(silent())
    }
    if (askedAtLastAnswer >= first.number) return cutIdle()
    for (const socket of sockets) socket.destroy()
  }
  const probe = () => {
    for (const [socket, began] of probes.running) if (awakeTime - began > probes.wait) socket.destroy()
    if (awakeTime - probed < probes.every) return
    probed = awakeTime
    const socket = new Socket()
    probes.running.set(socket, awakeTime)
    socket.once('close', () => probes.running.delete(socket))
    const client = new pg.Client({ connectionString, stream: () => socket })
    client.on('error', () => {})
    client
      .connect()
      .then(() => client.query('select 1'))
      .then(() => client.query('select 1')) // a blocked process has caught up by then
      .then(
        () => {
          cutLost()
          reset()
        },
        (error) => {
          if (endsSilence(error) && !socket.destroyed) reset()
        },
      )
      .finally(() => socket.destroy())
  }
  const timer = setInterval(() => {
    const elapsed = performance.now() - last
    last += elapsed
    if (elapsed <= 3 * every) awakeTime += elapsed
    const age = since === undefined ? 0 : awakeTime - since
    if (isTripped || age >= probes.from || [...pending].some(isOverdue)) probe()
    if (age >= silentAfter) trip()
  }, every).unref()

  function ask<T>(question: () => Promise<T>, isPrompt: boolean, giveBack: (late: T) => void): Promise<T> {
    if (isTripped) return Promise.reject(silent())
    return new Promise((resolve, reject) => {
      since ??= awakeTime
      askedCount += 1
      const asking: Question = { number: askedCount, askedAt: awakeTime, isPrompt, giveUp: reject }
      pending.add(asking)
      question().then(
        (answer) => {
          if (!pending.delete(asking)) return giveBack(answer)
          askedAtLastAnswer = askedCount
          reset()
          resolve(answer)
        },
        (error) => {
          if (!pending.delete(asking)) return
          if (endsSilence(error)) reset()
          // A prompt query ends in `waitFor` with a Refusal, before the driver's own timeout.
          if (isPrompt ? error instanceof Refusal : isSilence(error)) cutIdle()
          reject(asOutage(error) ?? error)
        },
      )
    })
  }
  return {
    ask: (question, giveBack = () => {}) => ask(question, false, giveBack),
    askPromptly: (question) => ask(question, true, () => {}),
    stream() {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      if (isTripped) process.nextTick(() => socket.destroy()) // for an abandoned wait: it would occupy a place of the pool
      return socket
    },
    onLoss: (cut) => void idleCutters.push(cut),
    close() {
      clearInterval(timer)
      for (const socket of [...sockets, ...probes.running.keys()]) socket.destroy()
    },
  }
}

function silent(): StoreOutage {
  return new StoreOutage('The database has not answered for seconds')
}
