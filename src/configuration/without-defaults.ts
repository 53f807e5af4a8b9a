/** A configuration as an author would write it: fields with their default are omitted (specification 13.2). */
import { isDeepStrictEqual } from 'node:util'
import { type Configuration, configurationSchema, type GatewayDefinition } from './configuration.ts'

export function withoutDefaults(configuration: Configuration): GatewayDefinition {
  return strip(configuration, configurationSchema) as GatewayDefinition
}

/** The parts of a zod schema that matter here. */
interface Schema {
  readonly def: {
    readonly type: string
    readonly innerType?: Schema
    readonly shape?: Readonly<Record<string, Schema>>
    readonly element?: Schema
    readonly valueType?: Schema
    /** The output of a pipe. */
    readonly out?: Schema
  }
  safeParse(input: unknown): { readonly success: boolean; readonly data?: unknown }
}

function strip(value: unknown, schema: Schema): unknown {
  const { type, innerType, shape, element, valueType, out } = schema.def
  if (out) return strip(value, out)
  if (innerType) return strip(value, innerType)
  if (type === 'array' && element) return (value as readonly unknown[]).map((item) => strip(item, element))
  if (type === 'record' && valueType) return mapFields(value, (_, field) => strip(field, valueType))
  if (type === 'object' && shape) return mapFields(value, (key, field) => stripField(field, shape[key]))
  return value
}

function stripField(value: unknown, schema: Schema | undefined): unknown {
  if (!schema) return value
  const fallback = schema.safeParse(undefined)
  return fallback.success && isDeepStrictEqual(fallback.data, value) ? undefined : strip(value, schema)
}

function mapFields(value: unknown, map: (key: string, field: unknown) => unknown): unknown {
  const fields = Object.entries(value as object).map(([key, field]) => [key, map(key, field)] as const)
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined))
}
