/**
 * Follows the connections of the administration listener, so that a stop completes running requests and does not wait
 * for idle clients (specification 18.2).
 */

import type * as http from 'node:http'
import type { Server, Socket } from 'node:net'
import { setTimeout } from '../base/timers.ts'
import type { AdminSource } from './parts.ts'

export interface Connections {
  /** Resolves when every request is answered or the grace period ends. */
  stop(): Promise<void>
}

/** Milliseconds. Only clients that read slowly or send half a request take longer. */
const grace = 5_000

interface State {
  requests: number
  /** Bytes read when the last response was complete; more means that a request has begun. */
  bytesRead: number
}

export interface AdminListener {
  readonly listener: Server
  /** Gets the connections of the listener. */
  readonly server: http.Server
  readonly isSecure: boolean
  readonly source: AdminSource | undefined
}

export function followConnections({ listener, server, isSecure, source }: AdminListener): Connections {
  const accepted = new Set<Socket>()
  const connections = new Map<Socket, State>()
  let isStopping = false
  server.on('connection', (socket: Socket) => {
    accepted.add(socket)
    socket.once('close', () => accepted.delete(socket))
  })
  server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, { requests: 0, bytesRead: socket.bytesRead })
    socket.once('close', () => connections.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    const state = connections.get(socket)
    if (!state) return
    state.requests += 1
    response.once('close', () => {
      state.requests -= 1
      state.bytesRead = socket.bytesRead
      if (isStopping && state.requests === 0) socket.end()
    })
  })

  source?.start((socket) => {
    if (isStopping) return void source.giveBack(socket)
    socket.setNoDelay(true)
    server.emit('connection', socket)
  })

  /** Idle connections close immediately, or go to the successor process if there is one. */
  const release = (): Promise<unknown> => {
    const given: Promise<void>[] = []
    for (const [socket, { requests, bytesRead }] of connections) {
      if (requests > 0 || socket.bytesRead > bytesRead) continue
      connections.delete(socket)
      if (!source || isSecure) socket.destroy()
      else {
        accepted.delete(socket)
        given.push(source.giveBack(socket))
      }
    }
    return Promise.all(given)
  }
  return {
    async stop() {
      isStopping = true
      const given = release()
      const stopped = source ? undefined : new Promise((resolve) => listener.close(resolve))
      const closed = Array.from(accepted, (socket) => new Promise((resolve) => socket.once('close', resolve)))
      const timer = setTimeout(() => {
        for (const socket of accepted) socket.destroy()
      }, grace)
      await Promise.all([given, stopped, ...closed])
      clearTimeout(timer)
      server.close() // stops the checks of time limits
    },
  }
}
