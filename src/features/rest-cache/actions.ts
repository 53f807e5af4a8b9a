/** The REST cache: what is in it, and its deletion (specification 18.26). */
import { z } from 'zod'
import { type ActionParts, action } from '../../actions/action.ts'
import { notFound } from '../../actions/problem-details.ts'
import { name, pageOf, paging, time, toTime } from '../../actions/schemas.ts'
import { redactText } from '../../observe/masking/redact.ts'

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
const byOperation = z.object({ operation: z.string().describe('ECHO_GET.v1') })

export const actions = [
  action({
    operationId: 'listCacheEntries',
    tag: 'REST cache',
    summary: 'List cache entries, newest first',
    method: 'GET',
    path: '/api/rest-cache',
    access: 'viewer',
    query: paging.extend({ operation: z.string().optional().describe('ECHO_GET.v1') }),
    answer: pageOf(cacheEntry),
    async handle({ parts, query: { operation, offset, limit } }) {
      const filter = operation === undefined ? {} : { operationId: operation }
      const { total, entries } = await parts.gateway.restCache.list({ ...filter, offset, limit })
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
    params: byOperation,
    async handle({ parts, params, audit }) {
      requireOperation(params.operation, parts)
      await audit({ subject: params.operation }) // written first, because the cache is another database
      await parts.gateway.restCache.deleteOperation(params.operation)
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
    params: byOperation,
    query: z.object({
      url: z
        .string()
        .max(64 * 1024)
        .describe('Path and query as sent, or as in the list'),
    }),
    answer: name('CacheDeletion', z.object({ deleted: z.int() })),
    async handle({ parts, params, query, audit }) {
      requireOperation(params.operation, parts)
      await audit({ subject: redactText(`${params.operation} ${query.url}`) })
      return { body: { deleted: await parts.gateway.restCache.deleteUrl(params.operation, query.url) } }
    },
  }),
]

function requireOperation(id: string, { gateway }: ActionParts): void {
  const { operations } = gateway.catalog.configuration
  if (!operations.some(({ name, method, version }) => `${name}_${method}.${version}` === id))
    throw notFound(`operation ${id}`)
}
