/** How many connections a listener takes: what each costs besides what is counted for its calls, and its descriptor (specification 7.8, decisions D-307). */
import { readFileSync } from 'node:fs'
import type { Server } from 'node:net'
import { type Edge, observeRarely } from './edge.ts'

/** Of the memory budget. TLS alone takes 60 KB; small bodies, trees and replies are not counted. */
const connectionCost = 64 * 1024
/** For files, logs and the database; and a tenth of all. */
const otherDescriptors = 64

export function limitConnections(server: Server, { gateway, memory }: Pick<Edge, 'gateway' | 'memory'>): void {
  const descriptors = Math.floor(openFilesLimit() * 0.9) - otherDescriptors
  server.maxConnections = Math.max(16, Math.min(Math.floor(memory.total / connectionCost), descriptors))
  const message = `New connections are closed: ${server.maxConnections} are open, the most that the memory budget (ig.limits.memory) and the limit of open files allow.`
  const observe = observeRarely(gateway)
  server.on('drop', () => observe('full', { kind: 'event', level: 'error', name: 'connectionsFull', message }))
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
