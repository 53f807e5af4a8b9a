/** JSON schemas (2020-12) of the configuration, from the schema that checks it, and of the settings, from their rows. */
import { z } from 'zod'
import { configurationSchema } from '../../src/configuration/configuration.ts'
import { listRows, type Rows } from '../../src/settings/row.ts'
import { groups } from '../../src/settings/table.ts'
import { readFieldComments } from '../docs/configuration.ts'

type JsonSchema = z.core.JSONSchema.JSONSchema

/** As `ig export --json` writes it and `PUT /api/configuration` takes it. What no schema can say, `ig check` does. */
export function describeConfiguration(): JsonSchema {
  const comments = readFieldComments()
  const { $schema, ...schema } = z.toJSONSchema(configurationSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const fields = comments.get(zodSchema as z.ZodType)
      if (fields) Object.assign(jsonSchema, { [commented]: Object.fromEntries(fields) })
    },
  })
  return {
    $schema,
    title: 'Configuration of an integration gateway',
    ...(describeFields(schema) as JsonSchema),
  } as JsonSchema
}

/** Fields that share a schema share its object until it is written: their comments wait beside them. */
const commented = 'x-comments'

function describeFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(describeFields)
  if (typeof value !== 'object' || value === null) return value
  const { [commented]: comments, readOnly: _, ...schema } = value as Readonly<Record<string, unknown>> // of the type alone
  const described = Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, describeFields(inner)]))
  if (comments === undefined) return described
  const fields = Object.entries(described.properties as Readonly<Record<string, object>>)
  const texts = comments as Readonly<Record<string, string>>
  const properties = fields.map(([key, field]) => [key, texts[key] ? { ...field, description: texts[key] } : field])
  return { ...described, properties: Object.fromEntries(properties) }
}

/** Every value of a properties file is a text, which `ig check` parses. */
export function describeSettingsFile(): JsonSchema {
  const properties = Object.values<Rows>(groups)
    .flatMap(listRows)
    .map(({ key, kind, default: fallback, help, see }) => {
      const description = `${help}. Values: ${kind.values}.${see === undefined ? '' : ` Specification ${see}.`}`
      return [
        key,
        {
          type: 'string' as const,
          description,
          ...(kind.allowed && { enum: ['', ...kind.allowed] }), // an empty value means not set
          ...(fallback !== undefined && key !== 'ig.toolsRelease' && { default: fallback }),
        },
      ] as const
    })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'integrationGateway.properties, as an object of its keys and values',
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: { type: 'string' }, // of handlers and issuers
  }
}
