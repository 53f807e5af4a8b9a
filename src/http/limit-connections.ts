/** How many connections a listener takes: what each costs besides what is counted for its calls, and its descriptor (specification 7.8, decisions D-307). */
import { readFileSync } from 'node:fs'
import type { Server } from 'node:net'
import { type Edge, observeSafely } from './edge.ts'

/** Of the memory budget. TLS alone takes 60 KB; small bodies, trees and replies are not counted. */
const connectionCost = 64 * 1024
/** For files, logs and the database; and a tenth of all. */
const otherDescriptors = 64
/** Milliseconds between two that are logged. */
const reportEvery = 60_000

export function limitConnections(server: Server, { gateway, memory }: Pick<Edge, 'gateway' | 'memory'>): void {
  const descriptors = Math.floor(openFilesLimit() * 0.9) - otherDescriptors
  server.maxConnections = Math.max(16, Math.min(Math.floor(memory.total / connectionCost), descriptors))
  let told = Number.NEGATIVE_INFINITY
  server.on('drop', () => {
    const now = performance.now()
    if (now - told < reportEvery) return
    told = now
    const message = `New connections are closed: ${server.maxConnections} are open, the most that the memory budget (ig.limits.memory) and the limit of open files allow.`
    observeSafely(gateway, { kind: 'event', level: 'error', name: 'connectionsFull', message })
  })
}

/** Of this process, where the system says it. */
function openFilesLimit(): number {
  try {
    const line = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))
    return line ? Number(line[1]) : Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
