/**
 * Standard Schema and Standard JSON Schema (https://standardschema.dev): what zod, valibot, arktype and others offer. The
 * interfaces are copied, as their authors intend, so that no library is needed (specification 5.21).
 */
import { Refusal } from '../refusal.ts'

/** A schema of any library: `{ '~standard': { version: 1, vendor, validate } }`. */
export interface Schema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Standard JSON Schema: the shape, for descriptions. */
    readonly jsonSchema?: JsonSchemaConverter | undefined
  }
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
  const pointers = new Map<string, string>()
  for (const { path = [], message } of result.issues) {
    const pointer = writePointer(path)
    if (!pointers.has(pointer)) pointers.set(pointer, message)
    if (pointers.size === mostPointers) break
  }
  // The schema's words may repeat what was sent: for a gateway in development only
  const development = [...pointers].map(([pointer, message]) => `${pointer || 'the body'}: ${message}`).join('\n')
  throw new Refusal('bodyInvalid', 'the body does not match the schema', {
    pointers: [...pointers.keys()],
    development,
  })
}

export function isSchema(value: unknown): value is Schema {
  const standard = (value as Partial<Schema> | undefined)?.['~standard']
  return standard?.version === 1 && typeof standard.validate === 'function'
}

const mostPointers = 100
/** A body can have names of any length. */
const longestPointer = 256

/** RFC 6901. */
function writePointer(path: NonNullable<Issue['path']>): string {
  const keys = path.map((segment) => String(typeof segment === 'object' ? segment.key : segment))
  const pointer = keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return pointer.length > longestPointer ? `${pointer.slice(0, longestPointer)}…` : pointer
}
