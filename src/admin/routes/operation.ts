/** REST cache, logs, settings, state and audit log (specification 18.26 to 18.30). */
import { z } from 'zod'
import { hideClaimed } from '../../model/claimed-name.ts'
import { redactText } from '../../observe/redact.ts'
import { actionsOnPeople, withoutPerson } from '../audit-of-people.ts'
import { notFound } from '../problem-details.ts'
import { readLog } from '../read-log.ts'
import { hasRole } from '../roles.ts'
import { route } from '../route.ts'
import { name, pageOf, paging, time, toTime } from '../schemas.ts'
import { managedBy } from './configuration.ts'

const cacheEntry = name(
  'CacheEntry',
  z.object({
    operationId: z.string(),
    url: z
      .string()
      .nullable()
      .describe('The URL as sent, with redacted secrets; null for entries of an earlier version of the gateway'),
    operator: z.string().nullable().describe("The operator, if the operation's cache key policy is perOperator"),
    expires: time,
    status: z.int(),
    size: z.int().describe('Size in bytes'),
  }),
)
const byOperation = z.object({ operation: z.string().describe('ECHO_GET.v1') })
const logEntry = name(
  'LogEntry',
  z.object({
    time,
    level: z.enum(['exception', 'error', 'warning', 'information', 'debug']),
    text: z.string(),
    transactionId: z.string().nullable(),
    details: z
      .array(z.object({ title: z.string(), text: z.string() }))
      .describe('Stacks; for the roles operator and administrator also redacted headers and bodies'),
  }),
)
const auditEntry = name(
  'AuditEntry',
  z.object({
    sequence: z.int(),
    time,
    actor: z.string(),
    via: z.string(),
    address: z.string(),
    action: z.string().describe('The operationId in this API'),
    subject: z.string(),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
  }),
)

const hash = z.string().regex(/^[0-9a-f]{64}$/)

export const operationRoutes = [
  route({
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
      const { total, entries } = await parts.restCache.list({ ...filter, offset, limit })
      const items = entries.map(({ expires, ...rest }) => ({ ...rest, expires: toTime(expires) }))
      return { body: { items, total, offset, limit } }
    },
  }),
  route({
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
      await parts.restCache.deleteOperation(params.operation)
      return {}
    },
  }),
  route({
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
      return { body: { deleted: await parts.restCache.deleteUrl(params.operation, query.url) } }
    },
  }),
  route({
    operationId: 'readLog',
    tag: 'Logs',
    summary: 'List the last entries of a log, newest first',
    description: 'Reads the last 4 MiB of the current file. Secrets are redacted in the file.',
    method: 'GET',
    path: '/api/logs/:log',
    access: 'viewer',
    params: z.object({ log: z.enum(['msgLog', 'errorLog', 'message', 'error']).describe('By file name or kind') }),
    query: z.object({
      level: z.enum(['exception', 'error', 'warning', 'information', 'debug']).optional().describe('Minimum level'),
      transaction: z.string().max(100).optional(),
      limit: paging.shape.limit,
    }),
    answer: z.object({ items: z.array(logEntry) }),
    async handle({ parts, params, query, caller }) {
      const { messageLogFile, errorLogFile } = parts.settings.log
      const file = /^m/.test(params.log) ? messageLogFile : errorLogFile
      const entries = await readLog(file, query)
      if (hasRole(caller.role, 'operator')) return { body: { items: [...entries] } }
      const items = entries.map(({ details, text, ...entry }) => {
        const shown = details.filter(isNoMessage).map((each) => ({ ...each, text: hideClaimed(each.text) }))
        return { ...entry, text: hideClaimed(text), details: shown }
      })
      return { body: { items } }
    },
  }),
  route({
    operationId: 'listSettings',
    tag: 'State',
    summary:
      'List all settings with their values and masked secrets; change them in integrationGateway.properties or the environment',
    method: 'GET',
    path: '/api/settings',
    access: 'viewer',
    answer: z.object({
      items: z.array(
        name(
          'Setting',
          z.object({
            key: z.string(),
            variable: z.string(),
            group: z.string().describe('Limits'),
            values: z.string(),
            help: z.string(),
            value: z.string().nullable(),
            source: z.string(),
          }),
        ),
      ),
    }),
    handle: async ({ parts }) => ({ body: { items: [...parts.shownSettings] } }),
  }),
  route({
    operationId: 'getState',
    tag: 'State',
    summary: 'Get the state of the gateway: version, revision, store, cache and health URL',
    method: 'GET',
    path: '/api/state',
    access: 'viewer',
    answer: name(
      'State',
      z.object({
        version: z.string(),
        managedBy,
        revision: z.int().nullable().describe('The active revision of this process; null if it serves files'),
        dbType: z.enum(['SQLITE', 'POSTGRESQL']),
        storeAnswers: z.boolean(),
        defaultNode: z.string(),
        operations: z.int(),
        restCache: z
          .object({ entries: z.int(), bytes: z.int() })
          .nullable()
          .describe('Size of the list in the store; null during a store outage'),
        gatewayUrl: z.string(),
        healthUrl: z.string(),
      }),
    ),
    async handle({ parts }) {
      const { configuration, revision = null, defaultNode } = parts.catalog()
      const storeAnswers = await parts.storeWatch.answers()
      const cached = storeAnswers ? await parts.restCache.list({ offset: 0, limit: 0 }) : undefined
      return {
        body: {
          version: parts.settings.toolsRelease,
          managedBy: parts.revisions ? ('revisions' as const) : ('files' as const),
          revision,
          dbType: parts.store.dbType,
          storeAnswers,
          defaultNode,
          operations: configuration.operations.length,
          restCache: cached ? { entries: cached.total, bytes: cached.bytes } : null,
          gatewayUrl: parts.gatewayUrl,
          healthUrl: `${parts.gatewayUrl}/healthz`,
        },
      }
    },
  }),
  route({
    operationId: 'listAudit',
    tag: 'Audit',
    summary: 'List audit entries, newest first',
    description:
      'The database refuses to change or remove entries. Roles below administrator see only their own entries about administrators, and no address or token name in others. To get the next page, send the last sequence as before.',
    method: 'GET',
    path: '/api/audit',
    access: 'viewer',
    query: z.object({
      actor: z.string().optional(),
      action: z.string().optional(),
      subject: z.string().max(200).optional().describe('Part of the subject'),
      from: time.optional(),
      to: time.optional(),
      before: z.coerce.number().int().min(1).optional().describe('Only entries before this sequence'),
      limit: paging.shape.limit,
    }),
    answer: z.object({ items: z.array(auditEntry) }),
    async handle({ parts, caller, query: { from, to, actor, action, subject, before, limit } }) {
      const seesPeople = hasRole(caller.role, 'administrator')
      const entries = await parts.store.administration.audit.list({
        limit,
        own: seesPeople ? undefined : { actions: actionsOnPeople, actor: caller.name },
        ...(actor !== undefined && { actor }),
        ...(action !== undefined && { action }),
        ...(subject !== undefined && { subject }),
        ...(before !== undefined && { before }),
        ...(from !== undefined && { from: Date.parse(from) }),
        ...(to !== undefined && { to: Date.parse(to) }),
      })
      const items = entries.map((entry) => (seesPeople || entry.actor === caller.name ? entry : withoutPerson(entry)))
      return { body: { items: items.map(({ time, ...rest }) => ({ ...rest, time: toTime(time) })) } }
    },
  }),
  route({
    operationId: 'verifyAudit',
    tag: 'Audit',
    summary: 'Verify the hash chain of the audit log',
    description:
      'Computes the hash of each entry, like ig audit verify. With an earlier `head`, also verifies that the entries up to it still exist; the log has the head hourly, and every export has it.',
    method: 'GET',
    path: '/api/audit/verification',
    access: 'viewer',
    query: z.object({ head: hash.optional().describe('An earlier head') }),
    answer: name(
      'AuditVerification',
      z.object({
        isVerified: z.boolean(),
        entries: z.int(),
        head: hash.nullable().describe('The last hash; null before the first entry'),
        unchained: z.int().describe('Entries of an earlier gateway version, which the next change chains'),
        difference: z
          .object({ sequence: z.int(), reason: z.string() })
          .nullable()
          .describe('The first entry that does not match the chain'),
        hasHead: z.boolean().nullable().describe('Whether the chain contains the head in the query'),
      }),
    ),
    async handle({ parts, query }) {
      const verdict = await parts.store.administration.audit.verify(query.head)
      const { head = null, difference = null, hasHead = null, ...counts } = verdict
      return { body: { ...counts, isVerified: !difference && hasHead !== false, head, difference, hasHead } }
    },
  }),
]

/** Messages may contain personal data: decisions D-194. */
function isNoMessage({ title }: { readonly title: string }): boolean {
  return title !== 'Request' && title !== 'Response'
}

function requireOperation(
  id: string,
  {
    catalog,
  }: {
    catalog(): {
      readonly configuration: { readonly operations: readonly { name: string; method: string; version: string }[] }
    }
  },
): void {
  const { operations } = catalog().configuration
  if (!operations.some(({ name, method, version }) => `${name}_${method}.${version}` === id))
    throw notFound(`operation ${id}`)
}
