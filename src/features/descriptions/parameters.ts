/** The variables and query literals of URI templates, and the header of a key, as OpenAPI parameters (specification 12.5, 12.6, 26.8). */
import type { Operation } from '../../model/operation.ts'
import type { QueryPart, UriTemplate, Variable } from '../../model/uri/uri-template.ts'
import { verificationOf } from '../../model/verification.ts'
import { type DescribedPath, pathVariables } from './paths.ts'
import { describeElement, type Schema, toSchema } from './schemas.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly style?: 'simple' | 'form'
  readonly explode?: boolean
  readonly schema: Schema
}

export function describeParameters({ operation, templates, names }: DescribedPath): readonly Parameter[] {
  const inPath = templates.map(pathVariables)
  const queryNames = new Set(templates.flatMap(({ query }) => query.map(({ name }) => name)))
  return [
    ...names.map((name, at) =>
      describePathParameter(
        name,
        inPath.map((variables) => variables[at] as Variable),
      ),
    ),
    ...[...queryNames].map((name) => describeQueryParameter(name, templates)),
    ...(operation.idempotency ? [describeKey(operation)] : []),
  ]
}

export const keyHeader = {
  name: 'Idempotency-Key',
  description: 'A new key for each call, such as a UUID. A call repeated with the same key gets the first answer.',
}

/** Calls without credentials have no key. */
export function requiresKey({ idempotency, verification }: Operation): boolean {
  return idempotency === 'required' && !verificationOf(verification).allowsAnonymous
}

function describeKey(operation: Operation): Parameter {
  const schema: Schema = { type: 'string', minLength: 1, maxLength: 257, pattern: '^("[!#-~]{1,255}"|[!#-~]{1,255})$' }
  return { ...keyHeader, in: 'header', required: requiresKey(operation), schema }
}

function describePathParameter(name: string, variables: readonly Variable[]): Parameter {
  return {
    name,
    in: 'path',
    required: true,
    description: unique(variables.map(({ element }) => describeElement(element, name))).join(' Or: '),
    ...(variables.some(({ list }) => list !== 'none') ? ({ style: 'simple', explode: false } as const) : {}),
    schema: anyOf(variables.map((variable) => toSchema(variable))),
  }
}

/** Required if each template requires it; otherwise the description names the templates that have it. */
function describeQueryParameter(name: string, templates: readonly UriTemplate[]): Parameter {
  const found = templates.flatMap((template) => {
    const part = template.query.find((candidate) => candidate.name === name)
    return part ? [{ template, part }] : []
  })
  const parts = found.map(({ part }) => part)
  const texts = unique(parts.map((part) => describePart(part)))
  const isEverywhere = found.length === templates.length
  const owners = found.map(({ template }) => `\`${template.source}\``).join(', ')
  const lists = parts.flatMap(({ variable }) => (variable && variable.list !== 'none' ? [variable.list] : []))
  return {
    name,
    in: 'query',
    required: isEverywhere && parts.every(isRequired),
    description: `${texts.join(' Or: ')}${isEverywhere ? '' : ` Only of the URI template ${owners}.`}`,
    ...(lists.length > 0 ? { style: 'form', explode: lists[0] === 'repeated' } : {}),
    schema: anyOf(parts.map((part) => (part.variable ? toSchema(part.variable) : literalSchema(part.literal)))),
  }
}

function isRequired(part: QueryPart): boolean {
  return !part.variable || !part.isOptional || part.variable.element.isRequired
}

function describePart(part: QueryPart): string {
  if (part.variable) return describeElement(part.variable.element, part.name)
  return 'The literal of the URI template: what a request must have to match it.'
}

/** An enum of one value instead of `const`, which fewer generators support. */
function literalSchema(literal: string): Schema {
  return { type: 'string', enum: [literal] }
}

function anyOf(schemas: readonly Schema[]): Schema {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  return different.length === 1 ? (different[0] as Schema) : { anyOf: different }
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}
