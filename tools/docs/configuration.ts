/** The fields of `gateway.config.ts`, from the schema that checks them and the comments that editors show of it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { configurationSchema, itemSchemas } from '../../src/configuration/configuration.ts'
import { sampleOperator } from '../../src/configuration/sample-operator.ts'
import type { Feature } from '../../src/feature.ts'
import { features } from '../../src/features.ts'
import { code, writeTable } from './write-table.ts'

interface Section {
  readonly title: string
  readonly schema: z.ZodType
  /** Where the comments are: a file of src, and the constants that have the fields. */
  readonly file: string
  readonly constants: readonly string[]
  /** Further ones. */
  readonly more?: readonly Pick<Section, 'file' | 'constants'>[]
}

interface FieldSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly const?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: FieldSchema
  readonly default?: unknown
}

const here = 'configuration/configuration.ts'
const { documents, operations } = itemSchemas
const { requestMessage, faultMessage, deprecated } = shapeOf(operations)
const element = (unwrap(shapeOf(documents).elements) as z.ZodRecord).valueType as z.ZodType

const sections: readonly Section[] = [
  { title: 'The whole configuration', schema: withoutLists(), file: here, constants: ['configurationSchema'] },
  { title: 'nodes', schema: itemSchemas.nodes, file: here, constants: ['node'], more: sourcesOf('nodeFields') },
  ...sectionsOfFields('nodes', 'nodeFields'),
  { title: 'documents', schema: documents, file: here, constants: ['document'] },
  { title: 'documents: elements', schema: element, file: 'configuration/element-schema.ts', constants: ['element'] },
  { title: 'messages', schema: itemSchemas.messages, file: here, constants: ['message'] },
  { title: 'services', schema: itemSchemas.services, file: here, constants: ['service'] },
  { title: 'operations', schema: operations, file: here, constants: ['operation'], more: sourcesOf('handlerFields') },
  {
    title: 'operations: requestMessage and responseMessage',
    schema: unwrap(requestMessage),
    file: here,
    constants: ['messageFields', 'requestMessage'],
  },
  {
    title: 'operations: faultMessage',
    schema: unwrap(faultMessage),
    file: here,
    constants: ['messageFields', 'faultMessage'],
  },
  {
    title: 'operations: deprecated',
    schema: unwrap(deprecated),
    file: 'configuration/deprecated-schema.ts',
    constants: ['deprecated'],
  },
  ...sectionsOfFields('operations', 'handlerFields'),
  { title: 'permissionLists', schema: itemSchemas.permissionLists, file: here, constants: ['permissionList'] },
  { title: 'oauth2ServiceApps', schema: itemSchemas.oauth2ServiceApps, file: here, constants: ['oauth2ServiceApp'] },
  ...sectionsOfFeatures(),
  { title: 'limits', schema: itemSchemas.limits, file: 'configuration/limit-schema.ts', constants: ['limit'] },
  {
    title: 'sampleOperators',
    schema: sampleOperator,
    file: 'configuration/sample-operator.ts',
    constants: ['sampleOperator'],
  },
]

function sectionsOfFeatures(): Section[] {
  return Object.entries<Feature>(features).flatMap(([name, { lists = {} }]) =>
    Object.entries(lists).map(([title, { schema, nouns }]) => {
      return { title, schema, file: sourceOf(name), constants: [nouns[0]] }
    }),
  )
}

/** Of fields of features that are objects, or lists of objects: their fields. */
function sectionsOfFields(list: string, member: 'nodeFields' | 'handlerFields'): Section[] {
  return Object.entries<Feature>(features).flatMap(([name, { [member]: fields = {} }]) =>
    Object.entries(fields).flatMap(([field, stated]) => {
      const { out = stated } = unwrap(stated).def as { readonly out?: z.ZodType }
      const { element = unwrap(out) } = unwrap(out) as z.ZodArray
      const schema = unwrap(element)
      return schema instanceof z.ZodObject
        ? [{ title: `${list}: ${field}`, schema, file: sourceOf(name), constants: [field, `${field}Fields`] }]
        : []
    }),
  )
}

function sourcesOf(member: 'nodeFields' | 'handlerFields'): NonNullable<Section['more']> {
  return Object.entries<Feature>(features).flatMap(([name, feature]) =>
    feature[member] ? [{ file: sourceOf(name), constants: [member] }] : [],
  )
}

function sourceOf(feature: string): string {
  return `features/${feature.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}/configuration.ts`
}

export function writeConfiguration(): string {
  return sections
    .map((section) => {
      const comments = readComments(section)
      const rows = Object.entries(shapeOf(section.schema)).map(([key, field]) => {
        return [code(key), defaultOf(field), valuesOf(field), comments.get(key) ?? '']
      })
      return `## ${section.title}\n\n${writeTable(['field', 'default', 'values', 'meaning'], rows)}`
    })
    .join('\n\n')
}

/** What the comments say of the fields, by the schema that has them. */
export function readFieldComments(): ReadonlyMap<z.ZodType, ReadonlyMap<string, string>> {
  const [whole, ...others] = sections.map((section) => [section.schema, readComments(section)] as const)
  const all = whole ? [[configurationSchema, whole[1]] as const, ...others] : others
  return new Map(all.map(([schema, comments]) => [unwrap(schema), comments]))
}

/** Its fields that are no lists of items. */
function withoutLists(): z.ZodType {
  const fields = Object.entries(shapeOf(configurationSchema)).filter(([key]) => !(key in itemSchemas))
  return z.object(Object.fromEntries(fields))
}

function shapeOf(schema: unknown): Readonly<Record<string, z.ZodType>> {
  return (unwrap(schema) as z.ZodObject).shape as Readonly<Record<string, z.ZodType>>
}

/** The schema below defaults, options and `readonly`. */
function unwrap(schema: unknown): z.ZodType {
  const { innerType } = (schema as z.ZodType).def as { readonly innerType?: z.ZodType }
  return innerType ? unwrap(innerType) : (schema as z.ZodType)
}

function schemaOf(field: z.ZodType): FieldSchema {
  return z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }) as FieldSchema
}

function defaultOf(field: z.ZodType): string {
  if (!field.safeParse(undefined).success) return 'required'
  const stated = schemaOf(field).default
  return stated === undefined || typeof stated === 'object' ? '' : code(String(stated))
}

function valuesOf(field: z.ZodType): string {
  const inner = unwrap(field)
  const { type, enum: values, minimum, maximum, items } = schemaOf(inner)
  if (values) return values.map(code).join(', ')
  if (type === 'boolean') return '`true`, `false`'
  if (type === 'integer') return reportRange(minimum ?? Number.MIN_SAFE_INTEGER, maximum ?? Number.MAX_SAFE_INTEGER)
  if (type === 'array') return items?.type === 'object' ? 'list of objects' : 'list of texts'
  if (type === 'object') return 'object'
  if (type === 'string') return reportText(inner)
  return Array.isArray(type) ? 'number, or its digits as a text' : 'text, or list of objects'
}

function reportRange(least: number, max: number): string {
  const low = least > Number.MIN_SAFE_INTEGER
  const high = max < Number.MAX_SAFE_INTEGER
  if (low) return high ? `${least} to ${max}` : `whole number from ${least}`
  return 'whole number'
}

/** What the schema answers to a text that it cannot take. */
function reportText(schema: z.ZodType): string {
  const { error } = schema.safeParse('\n')
  return /^must be (?:an? )?(.*)$/.exec(error?.issues[0]?.message ?? '')?.[1] ?? 'text'
}

function readComments({ more = [], ...first }: Section): ReadonlyMap<string, string> {
  return new Map([first, ...more].flatMap(readCommentsIn))
}

function readCommentsIn({ file, constants }: Pick<Section, 'file' | 'constants'>): [string, string][] {
  const source = readFileSync(join(import.meta.dirname, '../../src', file), 'utf8')
  const declarations = constants.map(
    (name) => source.split(`\n${declare(name, source)} = `)[1]?.split(/\n(?=\S)(?![})\]])/)[0] ?? '',
  )
  const comments = declarations.join('\n').matchAll(/\/\*\* (.*) \*\/\n\s*(\w+)[,:]/g)
  return [...comments].map(([, text = '', key = '']) => [key, text])
}

function declare(name: string, source: string): string {
  return source.includes(`\nexport const ${name} = `) ? `export const ${name}` : `const ${name}`
}
