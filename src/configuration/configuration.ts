/**
 * The configuration: one typed document; its schema gives the type, the validation, and what editors, forms and references
 * say of its fields (specification 2). `parse-configuration.ts` checks one.
 */

import { z } from 'zod'
import { mergeContributions } from '../features.ts'
import { element, elementName, noCompounds } from './element-schema.ts'
import { description, itemName, name } from './fields.ts'
import { limit } from './limit-schema.ts'
import type { ListRow } from './list-row.ts'
import { type handlerFields, noRoutings, operation } from './operation-schema.ts'
import { listOf, operatorId, strictObject } from './schema.ts'
import { oauth2ServiceApp } from './service-app-schema.ts'

/** The configuration as `gateway.config.ts` declares it: docs/reference/configuration.md has its fields. */
export type GatewayDefinition = z.input<typeof configurationSchema>
/** A `GatewayDefinition` whose operations have either a handler or a field that replaces it, so that the compiler reports both. */
export type AuthoredGateway = Omit<GatewayDefinition, 'operations'> & {
  readonly operations?: readonly AuthoredOperation[] | undefined
}
/** The configuration as it is used: validated, with all defaults. */
export type Configuration = z.output<typeof configurationSchema>
export type OperationDefinition = Configuration['operations'][number]
export type DocumentDefinition = Configuration['documents'][number]
export type ServiceAppDefinition = Configuration['oauth2ServiceApps'][number]
export type LimitDefinition = Configuration['limits'][number]

type OperationFields = NonNullable<GatewayDefinition['operations']>[number]
type HandlerField = 'handler' | keyof typeof handlerFields
type AuthoredOperation = Omit<OperationFields, HandlerField> &
  {
    [Field in HandlerField]: { readonly [Only in Field]: NonNullable<OperationFields[Only]> } & {
      readonly [Other in Exclude<HandlerField, Field>]?: undefined
    }
  }[HandlerField]

const node = strictObject(
  {
    name: itemName,
    description,
    isDefaultLocal: z.boolean().default(false).meta({
      title: 'Default local node',
      description: 'For exactly one node: the target of the generated routings',
    }),
    isActive: z.boolean().default(true).meta({ title: 'Active', description: 'An inactive node cannot be called' }),
    defaultUser: operatorId.optional().meta({
      title: 'Default user',
      description: 'Only for the node `ANONYMOUS`: the operator that calls without credentials run as',
    }),
    ...mergeContributions('nodeFields'),
  },
  noRoutings,
)

const document = strictObject(
  {
    name: itemName,
    description,
    elements: z.record(elementName, element).readonly().meta({
      title: 'Elements',
      description: 'The elements by name. Each variable of a URI template is one of these names',
    }),
  },
  noCompounds,
)

/** A message of type Document: what operations name as their document template. */
const message = strictObject({
  name: itemName,
  description,
  document: name.meta({
    title: 'Document',
    description: 'The document that the message is built on',
    'x-form': { of: 'documents' },
  }),
})

const service = strictObject({ name: itemName, description }, noRoutings)

const permissionList = strictObject({
  name: itemName,
  description,
  services: listOf(z.string()).meta({
    title: 'Services',
    description: 'Permits all operations of these services',
    'x-form': { of: 'services' },
  }),
  operations: listOf(z.string()).meta({
    title: 'Single operations',
    description: 'With method and version, such as `METADATA_GET.v1`',
    'x-form': { of: 'operations' },
  }),
})

type Lists = Readonly<Record<string, ListRow>>

function mapSchemas<Parts extends Lists>(lists: Parts) {
  const schemas = Object.entries(lists).map(([name, { schema }]) => [name, schema])
  return Object.fromEntries(schemas) as { readonly [Name in keyof Parts]: Parts[Name]['schema'] }
}

function mapFields<Parts extends Lists>(lists: Parts) {
  const fields = Object.entries(lists).map(([name, { schema }]) => [name, listOf(schema)])
  return Object.fromEntries(fields) as {
    readonly [Name in keyof Parts]: ReturnType<typeof listOf<Parts[Name]['schema']>>
  }
}

/** The singular of each list, for views that show or edit one item. */
export const itemSchemas = {
  nodes: node,
  documents: document,
  messages: message,
  services: service,
  operations: operation,
  permissionLists: permissionList,
  oauth2ServiceApps: oauth2ServiceApp,
  ...mapSchemas(mergeContributions('lists')),
  limits: limit,
} as const

export const configurationSchema = strictObject(
  {
    databaseValues: z
      .literal('portable', { error: 'must be portable, or be left out' })
      .optional()
      .describe(
        'Column values that handlers get. `portable`: the same on both databases; otherwise as each database returns them',
      ),
    nodes: listOf(itemSchemas.nodes),
    documents: listOf(itemSchemas.documents),
    messages: listOf(itemSchemas.messages),
    services: listOf(itemSchemas.services),
    operations: listOf(itemSchemas.operations),
    permissionLists: listOf(itemSchemas.permissionLists),
    oauth2ServiceApps: listOf(itemSchemas.oauth2ServiceApps),
    ...mapFields(mergeContributions('lists')),
    limits: listOf(itemSchemas.limits),
  },
  {
    ...noRoutings,
    operators: 'are not part of the configuration: the store holds them. Add them with ig operator add',
  },
)
