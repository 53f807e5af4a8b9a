/** The schemas of the administration API; items of the configuration use their own (specification 18.14). */
import { z } from 'zod'
import { itemSchemas } from '../configuration/configuration.ts'
import { operatorEmail } from '../configuration/operator-schema.ts'
import { hasVariable } from '../configuration/service-app-schema.ts'
import { listsOfFeatures, mergeContributions } from '../features.ts'
import { passwordRule } from '../model/password-policy.ts'
import { decided, outcomes } from '../model/step.ts'
import { mayDo, roles } from './roles.ts'
import { sortItems } from './sort-items.ts'

/** Named schemas become components of the OpenAPI document. */
export const named = z.registry<{ id: string; description?: string }>()

export function name<Schema extends z.ZodType>(id: string, schema: Schema, description?: string): Schema {
  named.add(schema, { id, ...(description === undefined ? {} : { description }) })
  return schema
}

export const time = z.iso.datetime('must be a time in UTC, such as 2026-01-31T08:00:00Z').describe('UTC')
export const toTime = (milliseconds: number) => new Date(milliseconds).toISOString()

export const paging = z.object({
  offset: z.coerce.number().int().min(0).max(1e9).default(0),
  limit: z.coerce.number().int().min(1).max(500).default(50),
})

/** Of the items of a page: `id=A&id=B`. */
const maxIds = 100
const id = z.string().max(200)
export const ids = z
  .union([id, z.array(id).min(1).max(maxIds)])
  .transform((given) => [given].flat())
  .describe(`Up to ${maxIds}, each as a parameter of its own`)

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    total: z.int().describe('Number of items on all pages'),
    offset: z.int(),
    limit: z.int(),
  })
}

/** The query of a list that is sorted and cut in memory, by `cutPage`. */
export const sorted = paging.extend({
  sort: z
    .string()
    .regex(/^-?\w{1,40}(\.\w{1,40}){0,3}$/, 'must be the path of a field, such as id or -value.method')
    .optional()
    .describe('Path of a field of the items; - before it: descending'),
})

export function cutPage<Item>(all: readonly Item[], { offset, limit, sort }: z.output<typeof sorted>) {
  const items = (sort === undefined ? all : sortItems(all, sort)).slice(offset, offset + limit)
  return { items, total: all.length, offset, limit }
}

export const flag = z.enum(['true', 'false']).transform((text) => text === 'true')
export const role = name(
  'Role',
  z.enum(roles).meta({ title: 'Role', description: 'What the administrator may do', 'x-form': { meanings: mayDo } }),
)
export const signsInWith = name('SignsInWith', z.enum(['password', 'provider']))
export const problem = name(
  'Problem',
  z.object({ path: z.string().describe('operations[3].uriTemplates[0]'), message: z.string() }),
  'An error in a configuration, as ig check reports it',
)

/** What a step decided about a call. */
export const decision = z.object({
  step: z.enum(decided),
  outcome: z.enum(outcomes),
  refusal: z.string().optional().describe('Its code'),
  text: z.string().describe('The decision; for a refusal its reason, which callers do not get'),
  details: z.array(z.string()).optional(),
})

export const listNames = [
  'nodes',
  'documents',
  'messages',
  'services',
  'operations',
  'permissionLists',
  'oauth2ServiceApps',
  ...listsOfFeatures,
  'limits',
] as const
export type ListKey = (typeof listNames)[number]

/** The names of the lists in URLs and in the OpenAPI document. */
export const lists: Readonly<Record<ListKey, { readonly path: string; readonly title: string; readonly tag: string }>> =
  {
    nodes: { path: 'nodes', title: 'Node', tag: 'Nodes' },
    documents: { path: 'documents', title: 'Document', tag: 'Documents' },
    messages: { path: 'messages', title: 'Message', tag: 'Messages' },
    services: { path: 'services', title: 'Service', tag: 'Services' },
    operations: { path: 'operations', title: 'Operation', tag: 'Operations' },
    permissionLists: { path: 'permission-lists', title: 'PermissionList', tag: 'Permission lists' },
    oauth2ServiceApps: { path: 'oauth2-service-apps', title: 'OAuth2ServiceApp', tag: 'OAuth2 service apps' },
    ...mergeContributions('lists'),
    limits: { path: 'limits', title: 'Limit', tag: 'Limits' },
  }
for (const key of listNames) name(lists[key].title, itemSchemas[key] as z.ZodType)

export const change = name(
  'Change',
  z.object({
    kind: z.enum(['added', 'removed', 'changed']),
    list: z.enum([...listNames, 'gateway']).describe('gateway: a field of the configuration that is no list'),
    id: z.string(),
    fields: z.array(z.object({ field: z.string(), before: z.unknown().optional(), after: z.unknown().optional() })),
    breaks: z.string().optional().describe('Why clients that use the URL would no longer reach the operation'),
  }),
  'A difference between two configurations',
)

export const emailAddress = name('EmailAddress', operatorEmail)

/** The handler checks the rest of the rule, which depends on the owner of the password. */
export const password = z.string().min(12, 'must have 12 to 1,024 characters').max(2048).describe(passwordRule)
/** `/api/operators/..` is `/api` to every browser, however it is encoded (specification 18.19). */
export const inUrl = (text: string) => text !== '.' && text !== '..'
export const noUrl = 'must be neither . nor .., because no URL can contain them'
export const administratorName = z
  .string()
  .regex(/^(?=.{1,60}$)[!-~]+(?: [!-~]+)*$/, 'must be 1 to 60 ASCII characters, with single spaces between words only')
  .refine(inUrl, noUrl)
  .describe('1 to 60 ASCII characters')
/** A URL that the gateway fetches at once. It may not name a variable of the environment. */
export const fetchedUrl = itemSchemas.oauth2ServiceApps
  .unwrap()
  .shape.metadataUrl.unwrap()
  .refine((text) => !hasVariable(text), 'must be a URL without variables')
export const note = z.string().max(1000).default('')
