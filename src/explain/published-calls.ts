/**
 * The operations that a URL publishes (specification 12.1), as calls with sample values, for `ig healthcheck` (15.6).
 */
import type { PrimitiveType } from '../model/document-template.ts'
import { unversioned, withVersion } from '../model/operation-name.ts'
import { sampleValue } from '../model/sample-value.ts'
import { type Mode, modeRows } from '../model/verification.ts'

export interface SafeCall {
  /** `ECHO_GET.v1` */
  readonly operation: string
  readonly method: string
  /** The path after the node. */
  readonly path: string
  /** What checks it; NONE if it needs no credentials. */
  readonly mode: Mode
  /** Why it cannot be called. */
  readonly fault?: string
}

export interface SafeCalls {
  /** URL of the node. */
  readonly base: string
  readonly calls: readonly SafeCall[]
  /** Every operation, by its id. */
  readonly operations: ReadonlyMap<string, OperationIdentity>
}

interface OperationIdentity {
  readonly id: string
  readonly fullName: string
}

interface OpenApiPaths {
  readonly servers?: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
}

interface DescribedOperation {
  readonly operationId?: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: Schema
}

interface Schema {
  readonly type?: string
  readonly format?: string
  readonly maxLength?: number
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
}

/** @param document an OpenAPI document of a gateway, read from `url` */
export function listPublishedCalls(
  document: unknown,
  url: string,
  given: ReadonlyMap<string, readonly string[]>,
): SafeCalls | undefined {
  if (!isPublished(document)) return undefined
  const server = new URL(document.servers?.[0]?.url ?? '', url)
  const operations = new Map<string, OperationIdentity>()
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId = '', security = [], parameters = [] }]) => {
      const [, name = operationId, version = unversioned] = /^(.+_[A-Z]+)(?:_(v\d+))?(?:_\d+)?$/.exec(operationId) ?? []
      const isOptional = security.some((each) => Object.keys(each).length === 0)
      const [scheme = ''] = isOptional ? [] : Object.keys(security[0] ?? {})
      const mode = modesBySecurityScheme.get(scheme) ?? 'NONE'
      const id = withVersion(name, version)
      operations.set(id, { id, fullName: name })
      if (method !== 'get' && method !== 'head') return []
      return [{ operation: id, method: method.toUpperCase(), path: fillPath(path, parameters, given), mode } as const]
    }),
  )
  return { base: new URL(url).origin + server.pathname.replace(/\/+$/, ''), calls, operations }
}

const modesBySecurityScheme = new Map(
  modeRows.flatMap(({ mode, securitySchemes }) =>
    Object.keys(securitySchemes(undefined)).map((name) => [name, mode] as const),
  ),
)

function isPublished(document: unknown): document is OpenApiPaths {
  const { openapi, paths } = (document ?? {}) as { readonly openapi?: unknown; readonly paths?: unknown }
  return typeof openapi === 'string' && typeof paths === 'object' && paths !== null
}

function fillPath(
  path: string,
  parameters: readonly Parameter[],
  given: ReadonlyMap<string, readonly string[]>,
): string {
  const used = parameters.filter(({ name, required }) => required || given.has(name))
  const textOf = ({ name, schema = {} }: Parameter) => (given.get(name) ?? [sampleOf(schema)]).map(encodeURIComponent)
  const inPath = used.filter((parameter) => parameter.in === 'path')
  const query = used.filter((parameter) => parameter.in === 'query')
  const filled = inPath.reduce((text, each) => text.replace(`{${each.name}}`, () => textOf(each).join(',')), path)
  const pairs = query.map((each) => `${encodeURIComponent(each.name)}=${textOf(each).join(',')}`)
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`
}

function sampleOf(schema: Schema): string {
  const { type = 'string', format, maxLength, enum: values, examples, minimum, maximum, anyOf, items } = schema
  if (anyOf?.[0]) return sampleOf(anyOf[0])
  if (items) return sampleOf(items)
  const primitive = primitives[format ?? type] ?? 'String'
  const bounds = { minimum: minimum?.toString(), maximum: maximum?.toString() }
  return sampleValue({
    type: primitive,
    length: maxLength,
    values: values?.map(String),
    examples: examples?.map(String),
    ...(type === 'integer' || type === 'number' ? bounds : {}),
  })
}

const primitives: Readonly<Record<string, PrimitiveType>> = {
  boolean: 'Boolean',
  date: 'Date',
  'date-time': 'DateTime',
  integer: 'Integer',
  number: 'Decimal',
  time: 'Time',
}
