/** How many connections a listener takes: what each costs beside what is counted for its calls (specification 7.8, decisions D-307). */
import type { Server } from 'node:net'
import { unboundedMemory } from '../model/memory-budget.ts'
import { type EdgeGateway, observeSafely } from './edge.ts'

/** Of the memory budget. TLS alone takes 60 KB; small bodies, trees and replies are not counted. */
const connectionCost = 64 * 1024
/** Milliseconds between two that are logged. */
const reportEvery = 60_000

export function limitConnections(server: Server, gateway: EdgeGateway): void {
  const { memory = unboundedMemory } = gateway
  server.maxConnections = Math.max(16, Math.floor(memory.total / connectionCost))
  let told = Number.NEGATIVE_INFINITY
  server.on('drop', () => {
    const now = performance.now()
    if (now - told < reportEvery) return
    told = now
    const message = `New connections are closed: ${server.maxConnections} are open, the most that the memory budget allows (ig.limits.memory).`
    observeSafely(gateway, { kind: 'event', level: 'error', name: 'connectionsFull', message })
  })
}
