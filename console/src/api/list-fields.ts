/** The fields that forms show: those of a schema of the OpenAPI document that have a title. */
import type { Field, FieldKind } from '../field.ts'

interface Schema {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly 'x-form'?: Partial<Field> & { readonly isLong?: boolean }
}

/** @param group the title of the object that has them */
export function listFields({ properties = {}, required = [] }: Schema, path = '', group?: string): readonly Field[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const { title, description, default: fallback, enum: options, properties, items, 'x-form': form = {} } = schema
    if (properties) return listFields(schema, `${path}${key}.`, title)
    if (title === undefined) return []
    const { isLong, ...facts } = form
    const isRequired = facts.isRequired ?? (path === '' && required.includes(key))
    return {
      path: path + key,
      label: title,
      ...(group !== undefined && { group }),
      kind: kindOf(schema),
      ...(description !== undefined && { help: description.replaceAll('`', '') }),
      ...(options && { options }),
      ...(items?.properties && { columns: listFields(items) }),
      ...(isRequired && { isRequired }),
      ...(isPlain(fallback) && { fallback }),
      ...facts,
    }
  })
}

function kindOf({ type, items, enum: options, 'x-form': { of, isLong, meanings } = {} }: Schema): FieldKind {
  if (type === 'boolean') return 'switch'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'object') return 'elements'
  if (items?.properties) return 'rows'
  if (type === 'array') return of === undefined ? 'lines' : 'references'
  if (options) return meanings ? 'choice' : 'select'
  if (of !== undefined) return 'reference'
  return isLong ? 'area' : 'text'
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
