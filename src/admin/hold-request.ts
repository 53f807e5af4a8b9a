/** What the bodies of administration hold of the memory budget, until they are answered (specification 7.8, 18.17). */
import type { FastifyInstance } from 'fastify'
import { AdminProblem } from '../admin/problem-details.ts'
import type { MemoryBudget } from '../model/memory-budget.ts'

/** A configuration item with its templates; a document of a thousand elements is far below. */
export const bodyLimit = 1024 ** 2
/** Of those who are not signed in: a name, a password, a token. */
export const publicBodyLimit = 16 * 1024
/** For each byte of a body: what is parsed, checked and made of it. */
const cost = 32

/** After the hooks that know who asks, and before anything is read of a body. */
export function holdBodies(app: FastifyInstance, memory: MemoryBudget): void {
  app.addHook('onRequest', async ({ headers }, reply) => {
    const isChunked = headers['transfer-encoding'] !== undefined
    const bytes = isChunked ? bodyLimit : Number(headers['content-length'] ?? 0)
    if (bytes <= publicBodyLimit || bytes > bodyLimit) return // little, or about to be refused
    const account = memory.open()
    if (!account.hold(bytes * cost)) throw new AdminProblem('overloaded', 'There is no memory for this body now.')
    reply.raw.once('close', () => account.close())
  })
}
