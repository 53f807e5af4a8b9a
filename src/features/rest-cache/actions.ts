/** The REST cache: what is in it, and its deletion (specification 18.26). */
import { z } from 'zod'
import { type ActionParts, action } from '../../actions/action.ts'
import { notFound } from '../../actions/problem-details.ts'
import { name, pageOf, paging, time, toTime } from '../../actions/schemas.ts'
import { operationIdOf } from '../../model/operation-name.ts'
import { redactText } from '../../observe/masking/redact.ts'
import { RestCache } from './rest-cache.ts'
import { openCacheRows } from './rows.ts'
import type { Cache } from './step.ts'

const cacheEntry = name(
  'CacheEntry',
  z.object({
    operationId: z.string(),
    url: z.string().nullable().describe('The URL as sent, with redacted secrets'),
    operator: z.string().nullable().describe("The operator, if the operation's cache key policy is perOperator"),
    expires: time,
    status: z.int(),
    size: z.int().describe('Size in bytes'),
  }),
)
const byOperation = z.object({ operation: z.string().describe('The operation: ECHO_GET.v1') })

export const actions = [
  action({
    operationId: 'listCacheEntries',
    tag: 'REST cache',
    summary: 'List cache entries, newest first',
    method: 'GET',
    path: '/api/rest-cache',
    access: 'viewer',
    commandLine: {
      verb: 'cache list',
      columns: {
        OPERATION: 'operationId',
        URL: 'url',
        OPERATOR: 'operator',
        STATUS: 'status',
        SIZE: 'size',
        EXPIRES: 'expires',
      },
      empty: 'The cache is empty.',
    },
    query: paging.extend({ operation: z.string().optional().describe('ECHO_GET.v1') }),
    answer: pageOf(cacheEntry),
    async handle({ parts, query: { operation, offset, limit } }) {
      const filter = operation === undefined ? {} : { operationId: operation }
      const { total, entries } = await cacheOf(parts).list({ ...filter, offset, limit })
      const items = entries.map(({ expires, ...rest }) => ({ ...rest, expires: toTime(expires) }))
      return { body: { items, total, offset, limit } }
    },
  }),
  action({
    operationId: 'deleteOperationCache',
    done: 'Cleared the cache of an operation',
    tag: 'REST cache',
    summary: "Delete an operation's cache entries, on all instances within a second",
    method: 'DELETE',
    path: '/api/rest-cache/:operation',
    access: 'operator',
    commandLine: {
      verb: 'cache clear',
      args: ['operation'],
      says: (_, { operation }) => `The cached responses of ${operation} are deleted on all instances within a second.`,
    },
    params: byOperation,
    async handle({ parts, params, audit }) {
      await requireOperation(params.operation, parts)
      await audit({ subject: params.operation }) // written first, because the cache is another database
      await cacheOf(parts).deleteOperation(params.operation)
      return {}
    },
  }),
  action({
    operationId: 'deleteCacheEntry',
    done: 'Deleted a cached response',
    tag: 'REST cache',
    summary: 'Delete the cache entries of a URL, on all instances within a second',
    method: 'DELETE',
    path: '/api/rest-cache/:operation/entry',
    access: 'operator',
    commandLine: {
      verb: 'cache delete',
      args: ['operation', 'url'],
      says: ({ deleted }, { operation, url }) =>
        deleted === 0
          ? `Nothing was deleted: ${operation} has no cached response of ${url}. See: ig cache list`
          : `Deleted ${deleted} cached ${deleted === 1 ? 'response' : 'responses'} of ${url}, on all instances within a second.`,
    },
    params: byOperation,
    query: z.object({
      url: z
        .string()
        .max(64 * 1024)
        .transform((url) => url.replace(/^https?:\/\/[^/?#]*/i, ''))
        .describe('Path and query as sent, or as in the list; scheme and host are ignored'),
    }),
    answer: name('CacheDeletion', z.object({ deleted: z.int() })),
    async handle({ parts, params, query, audit }) {
      await requireOperation(params.operation, parts)
      await audit({ subject: redactText(`${params.operation} ${query.url}`) })
      return { body: { deleted: await cacheOf(parts).deleteUrl(params.operation, query.url) } }
    },
  }),
]

/** The cache of the serving process. `ig` runs outside of it and opens one over the store. */
function cacheOf({ gateway, store, settings, now }: ActionParts): Cache {
  const stored = () => openCacheRows(store.databases, () => store.clockOffset)
  return gateway?.restCache ?? new RestCache({ store: stored(), settings, observe() {}, now })
}

async function requireOperation(id: string, { configuration }: ActionParts): Promise<void> {
  const { operations } = await configuration()
  if (!operations.some((operation) => operationIdOf(operation) === id)) throw notFound(`operation ${id}`)
}
