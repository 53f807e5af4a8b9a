/** Reserves memory for request bodies until they are answered (specification 7.8, 18.17). */
import type { FastifyInstance } from 'fastify'
import { AdminProblem } from '../actions/problem-details.ts'
import type { MemoryBudget } from '../model/memory-budget.ts'

/** Enough for every configuration item; a document of a thousand elements is far smaller. */
export const bodyLimit = 1024 ** 2
/** Enough for a configuration of 10,000 operations. */
export const configurationLimit = 16 * 1024 ** 2
/** Limit without sign-in: a name, a password, a token. */
export const publicBodyLimit = 16 * 1024
/** Memory per byte of a body, to parse, check and use it. */
const cost = 32

/** Runs after authentication and before the body is read. */
export function holdBodies(app: FastifyInstance, memory: MemoryBudget): void {
  app.addHook('onRequest', async ({ headers, routeOptions }, reply) => {
    const limit = routeOptions.bodyLimit ?? bodyLimit
    const isChunked = headers['transfer-encoding'] !== undefined
    const bytes = isChunked ? limit : Number(headers['content-length'] ?? 0)
    if (bytes <= publicBodyLimit || bytes > limit) return // small, or refused anyway
    const account = memory.open()
    if (!account.hold(bytes * cost))
      throw new AdminProblem('overloaded', 'Not enough memory for the body at the moment. Try again.')
    reply.raw.once('close', () => account.close())
  })
}
