/**
 * A circuit breaker for a PostgreSQL server that falls silent: its connections stay open, and nothing answers (specification
 * 5.14). Silence is counted over all connections of a store, and the change feed asks several times a second, so that a
 * statement that takes long is not taken for it.
 */
import { Socket } from 'node:net'
import pg from 'pg'
import { StoreAway } from '../store.ts'
import { asAway, isAnswer } from './connection-lost.ts'

export interface Breaker {
  /** @param giveBack takes what is answered after it was given up @throws StoreAway at once while the server is silent */
  ask<T>(question: () => Promise<T>, giveBack?: (late: T) => void): Promise<T>
  /** For the pools: what they connect by, so that all of it can be cut. */
  readonly stream: () => Socket
  /** Cuts every connection. */
  close(): void
}

/** Milliseconds: a call is refused within five seconds. */
const usualSilence = 4_000

export function openBreaker(connectionString: string, silentAfter = usualSilence): Breaker {
  const every = silentAfter / 16
  /** Half-way, a question that costs nothing tells a locked table from a lost server; then it is asked until one is answered. */
  const probes = {
    from: silentAfter / 2,
    every: silentAfter / 8,
    wait: (silentAfter * 3) / 4,
    open: new Map<Socket, number>(),
  }
  const sockets = new Set<Socket>()
  const pending = new Set<(reason: StoreAway) => void>()
  let isOpen = false
  /** Since when something was asked and nothing was answered. */
  let since: number | undefined
  let probed = Number.NEGATIVE_INFINITY
  let last = performance.now()

  const heard = () => {
    isOpen = false
    since = pending.size > 0 ? performance.now() : undefined
  }
  const open = () => {
    isOpen = true
    since = undefined
    const waiting = [...pending]
    pending.clear()
    for (const giveUp of waiting) giveUp(silent())
    for (const socket of sockets) socket.destroy()
  }
  const probe = (now: number) => {
    for (const [socket, began] of probes.open) if (now - began > probes.wait) socket.destroy()
    if (now - probed < probes.every) return
    probed = now
    const socket = new Socket()
    probes.open.set(socket, now)
    socket.once('close', () => probes.open.delete(socket))
    const client = new pg.Client({ connectionString, stream: () => socket })
    client.on('error', () => {})
    client
      .connect()
      .then(() => client.query('select 1'))
      .then(heard, (error) => {
        if (isAnswer(error) && !socket.destroyed) heard()
      })
      .finally(() => socket.destroy())
  }
  const timer = setInterval(() => {
    const now = performance.now()
    const wasLate = now - last > 3 * every // this process stood still: answers may be there, unread
    last = now
    if (wasLate && since !== undefined) since = now
    const age = since === undefined ? 0 : now - since
    if (isOpen || age >= probes.from) probe(now)
    if (age >= silentAfter) open()
  }, every).unref()

  return {
    ask<T>(question: () => Promise<T>, giveBack: (late: T) => void = () => {}): Promise<T> {
      if (isOpen) return Promise.reject(silent())
      return new Promise((resolve, reject) => {
        since ??= performance.now()
        pending.add(reject)
        question().then(
          (answer) => {
            if (!pending.delete(reject)) return giveBack(answer)
            heard()
            resolve(answer)
          },
          (error) => {
            if (!pending.delete(reject)) return
            if (isAnswer(error)) heard()
            reject(asAway(error) ?? error)
          },
        )
      })
    },
    stream() {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      if (isOpen) process.nextTick(() => socket.destroy()) // for one who was given up: it would keep a place of the pool
      return socket
    },
    close() {
      clearInterval(timer)
      for (const socket of [...sockets, ...probes.open.keys()]) socket.destroy()
    },
  }
}

function silent(): StoreAway {
  return new StoreAway('The database has not answered for seconds')
}
