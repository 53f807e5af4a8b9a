/** JSON schemas (2020-12) of the configuration, from the schema that checks it, and of the settings, from their rows. */
import { z } from 'zod'
import { configurationSchema } from '../../src/configuration/configuration.ts'
import { listRows, type Rows } from '../../src/settings/row.ts'
import { groups } from '../../src/settings/table.ts'

type JsonSchema = z.core.JSONSchema.JSONSchema

/** As `ig revision export --json` writes it and `PUT /api/configuration` takes it. What no schema can say, `ig check` does. */
export function describeConfiguration(): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(configurationSchema, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      delete jsonSchema.readOnly // of the type alone
      delete jsonSchema['x-form']
    },
  })
  return { $schema, title: 'Configuration of an integration gateway', ...schema }
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
