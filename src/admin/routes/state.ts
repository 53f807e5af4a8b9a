/** Settings and state of the gateway (specification 18.29). */
import { z } from 'zod'
import { isOutage } from '../../actions/outage.ts'
import { name } from '../../actions/schemas.ts'
import type { ListedSetting } from '../../settings/handler-settings.ts'
import { requireManaged } from '../draft.ts'
import type { ShownSetting } from '../parts.ts'
import { route } from '../route.ts'
import { managedBy } from './configuration.ts'

/** Never with a value, also of settings that are no secrets. */
function showOfHandler({ variable, isSecret, isSet, source }: ListedSetting): ShownSetting {
  return {
    key: variable,
    variable: `${variable}, ${variable}_FILE`,
    group: 'Handlers',
    values: isSecret ? 'secret' : 'text',
    help: 'declared by a module of the project',
    value: isSet ? '***' : null,
    source: source ?? 'not set',
  }
}

export const stateRoutes = [
  route({
    operationId: 'listHandlers',
    tag: 'Operations',
    summary: 'List the handlers that this process has loaded',
    description: 'References for the handler of an operation, sorted. No file is read.',
    method: 'GET',
    path: '/api/handlers',
    access: 'administrator',
    answer: z.object({ items: z.array(z.string()) }),
    problems: ['managedByFiles'],
    async handle({ parts }) {
      const { loaded } = requireManaged(parts).handlers
      return { body: { items: [...loaded.keys()].filter((key) => !key.includes(': ')).sort() } }
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
    handle: async ({ parts }) => ({
      body: { items: [...parts.shownSettings, ...parts.settings.ofHandlers.list().map(showOfHandler)] },
    }),
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
        passesThrough: z.boolean().describe('Whether an operation passes calls on to the original'),
        restCache: z
          .object({ entries: z.int(), bytes: z.int() })
          .nullable()
          .describe('Size of the list in the store; null during a store outage'),
        gatewayUrl: z.string(),
        gatewayPath: z.string(),
        healthUrl: z.string(),
      }),
    ),
    async handle({ parts }) {
      const { configuration, operations, revision = null, defaultNode } = parts.catalog()
      const cached = await parts.gateway.restCache.list({ offset: 0, limit: 0 }).catch((error) => {
        if (!isOutage(error, parts.gateway.condition)) throw error
        return undefined
      })
      return {
        body: {
          version: parts.settings.toolsRelease,
          managedBy: parts.revisions ? ('revisions' as const) : ('files' as const),
          revision,
          dbType: parts.store.dbType,
          storeAnswers: cached !== undefined,
          defaultNode,
          operations: configuration.operations.length,
          passesThrough: [...operations.values()].some(({ forwards }) => forwards),
          restCache: cached ? { entries: cached.total, bytes: cached.bytes } : null,
          gatewayUrl: parts.gatewayUrl,
          gatewayPath: parts.settings.gatewayPath,
          healthUrl: `${parts.gatewayUrl}/healthz`,
        },
      }
    },
  }),
]
