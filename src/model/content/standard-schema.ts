/**
 * Standard Schema and Standard JSON Schema (https://standardschema.dev): what zod, valibot, arktype and others offer. The
 * interfaces are copied, as their authors intend, so that no library is needed (specification 5.21).
 */
import { type BodyError, Refusal } from '../refusal.ts'

/**
 * A schema of any library that implements [Standard Schema](https://standardschema.dev), such as zod, valibot or
 * arktype: `{ '~standard': { version: 1, vendor, validate } }`.
 */
export type Schema<Input = unknown, Output = Input> = { readonly '~standard': StandardProperties<Input, Output> }

interface StandardProperties<Input, Output> {
  readonly version: 1
  readonly vendor: string
  readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>
  readonly types?: { readonly input: Input; readonly output: Output } | undefined
  /** Standard JSON Schema: the shape, for descriptions. */
  readonly jsonSchema?: JsonSchemaConverter | undefined
}

/** What a schema makes of a value that it accepts. */
export type SchemaOutput<Of extends Schema> = NonNullable<Of['~standard']['types']>['output']

interface JsonSchemaConverter {
  readonly input: (options: { readonly target: string }) => Record<string, unknown>
  readonly output: (options: { readonly target: string }) => Record<string, unknown>
}

type Result<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly Issue[] }

interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** @throws Refusal bodyInvalid, TypeError for what is no schema */
export async function validate<Output>(schema: Schema<unknown, Output>, value: unknown): Promise<Output> {
  if (!isSchema(schema)) throw new TypeError('getJson takes a Standard Schema, such as one of zod, valibot or arktype')
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return result.value
  const errors = new Map<string, BodyError>()
  for (const { path = [], message } of result.issues) {
    const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment))
    const pointer = writePointer(keys)
    if (!errors.has(pointer)) errors.set(pointer, { pointer, detail: withoutValue(message, valueAt(value, keys)) })
    if (errors.size === maxErrors) break
  }
  const all = [...errors.values()]
  throw new Refusal('bodyInvalid', () => describeErrors(all), { errors: all })
}

export function isSchema(value: unknown): value is Schema {
  const standard = (value as Partial<Schema> | undefined)?.['~standard']
  return standard?.version === 1 && typeof standard.validate === 'function'
}

const maxErrors = 100
const maxLogged = 10
/** A body can have names of any length, and so can the messages about them. */
const maxLength = 256

function describeErrors(errors: readonly BodyError[]): string {
  const shown = errors.slice(0, maxLogged).map(({ pointer, detail }) => `${pointer || 'the whole body'}: ${detail}`)
  const more = errors.length > maxLogged ? `; and ${errors.length - maxLogged} more` : ''
  return `the body does not match the schema: ${shown.join('; ')}${more}`
}

/** RFC 6901. */
function writePointer(keys: readonly PropertyKey[]): string {
  return cut(keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''))
}

function valueAt(value: unknown, keys: readonly PropertyKey[]): unknown {
  return keys.reduce((inner: unknown, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key], value)
}

/** Some libraries end a message with what they received; the type of it may stay. */
const received =
  /(?:(?:, | but |^|: )received|, actual| \(was) (?!(?:an? )?(?:undefined|null|string|number|boolean|array|object)\)?$).*$/is

/** The schema's words: neither what a library received, nor the refused text or number that an author put into a message. */
function withoutValue(message: string, value: unknown): string {
  const own = message.replace(received, '').trim() || 'is not valid'
  if (typeof value === 'string') return cut(own.split(textOf(value)).join('…'))
  return cut(typeof value === 'number' ? own.replace(number, (each) => (Number(each) === value ? '…' : each)) : own)
}

const number = /(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w|\.\d)/gi

/** A whole word: the refused text `a` is not every letter of a message. */
function textOf(value: string): RegExp | string {
  return /^\w{1,256}$/.test(value) ? new RegExp(`\\b${value}\\b`) : value.trim() ? value : /(?!)/
}

function cut(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
