/** Checks that every row can match, and that `after` names stand-ins (specification 16.5, 16.16). */
import { suggest } from '../../base/nearest.ts'
import { type KnownNames, requireKnown } from '../../configuration/known-names.ts'
import type { DocumentElement, DocumentTemplate } from '../../model/document-template.ts'
import { operationIdOf } from '../../model/operation-name.ts'
import { formatPath, type Problem } from '../../model/problem.ts'
import { Refusal } from '../../model/refusal.ts'
import { readValue } from '../../model/uri/uri-document.ts'
import { parseUriTemplate } from '../../model/uri/uri-template.ts'

/** Each is null if it is invalid. */
interface UncheckedLists {
  readonly operations?: readonly (UncheckedOperation | null)[] | null | undefined
}
interface UncheckedOperation extends Partial<Record<'name' | 'method' | 'version' | 'documentTemplate', Text>> {
  readonly handler?: unknown
  readonly fixture?: string | readonly (Row | null)[] | null | undefined
  readonly uriTemplates?: readonly (string | null)[] | null | undefined
}
type Text = string | null | undefined

export function* check({ operations }: UncheckedLists, known: KnownNames): Iterable<Problem | undefined> {
  const handled = new Set(
    (operations ?? []).flatMap((operation) => {
      const { name, method, version = 'v1', handler } = operation ?? {}
      return handler && name && method && version ? [operationIdOf({ name, method, version })] : []
    }),
  )
  for (const [index, operation] of (operations ?? []).entries()) {
    const path = `operations[${index}].fixture`
    const rows = Array.isArray(operation?.fixture) ? operation.fixture : []
    yield* checkRows(rows, path, operation?.uriTemplates, known.templates.get(operation?.documentTemplate ?? ''))
    for (const [at, row] of rows.entries()) {
      const { after } = row ?? {}
      if (!after) continue
      const place = `${path}[${at}].after`
      if (!handled.has(after)) yield* requireKnown(place, after, known.operations, 'operation')
      else yield { path: place, message: `names ${after}, which has a handler: only recorded responses are noticed` }
    }
    yield undefined
  }
}

function* checkRows(
  rows: readonly (Row | null)[],
  path: string,
  uriTemplates: UncheckedOperation['uriTemplates'],
  document: DocumentTemplate | undefined,
): Iterable<Problem> {
  if (rows.length === 0 || uriTemplates === null) return
  const known = readTemplates(uriTemplates?.length ? uriTemplates : ['/'], document)
  const isCovered = rememberRows()
  for (const [index, row] of rows.entries()) {
    if (!row) continue
    const place = `${path}[${index}]`
    yield* checkRow(row, place, known)
    for (const [name, text] of Object.entries(row.parameters ?? {})) {
      yield* checkText(document?.elements.get(name), text, `${place}.${formatPath(['parameters', name])}`)
    }
    const first = isCovered(known.size > 1 ? row : { ...row, template: undefined }, index)
    if (first !== undefined)
      yield { path: place, message: `never answers: fixture[${first}] comes first and matches the same requests` }
  }
}

/**
 * An earlier row covers a row if all of its conditions are among the row's. Rows are grouped by the names they have
 * conditions on, which are few in a table: each row costs that many look-ups, even in a long table.
 * @returns a function that returns the index of the first row that covers, or remembers the row
 */
function rememberRows(): (row: Row, index: number) => number | undefined {
  const shapes = new Map<string, { readonly keys: readonly string[]; readonly rows: Map<string, number> }>()
  return ({ template, parameters, body, after }, index) => {
    const conditions = new Map<string, unknown>(Object.entries({ ...parameters, ...body })) // paths begin with a slash
    if (template) conditions.set('{template}', template)
    if (after) conditions.set('{after}', after)
    const textsOf = (keys: readonly string[]) => JSON.stringify(keys.map((key) => conditions.get(key)))
    const covering = [...shapes.values()].flatMap(({ keys, rows }) =>
      keys.every((key) => conditions.has(key)) ? (rows.get(textsOf(keys)) ?? []) : [],
    )
    if (covering.length > 0) return Math.min(...covering)
    const keys = [...conditions.keys()].sort()
    const shape = shapes.get(keys.join()) ?? { keys, rows: new Map() }
    shapes.set(keys.join(), shape)
    shape.rows.set(textsOf(keys), index)
    return undefined
  }
}

/** A value that the element refuses (400) never reaches a row. */
function* checkText(element: DocumentElement | undefined, text: unknown, path: string): Iterable<Problem> {
  if (!element || typeof text !== 'string') return
  if (element.isCollection && element.values?.some((value) => value.includes(','))) return // the text between them is empty
  try {
    for (const one of element.isCollection ? text.split(',') : [text]) readValue(element, one)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    yield { path, message: `can never match: ${error.message}, not ${JSON.stringify(text)}` }
  }
}

/** The variables of a template, by its text. Undefined if the template itself has an error. */
type Templates = ReadonlyMap<string | null, readonly string[] | undefined>

interface Row {
  readonly template?: string | null | undefined
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined
  readonly body?: Readonly<Record<string, unknown>> | null | undefined
  readonly after?: string | null | undefined
}

function* checkRow({ template, parameters }: Row, path: string, templates: Templates): Iterable<Problem> {
  if (template === null) return
  if (template !== undefined && !templates.has(template)) {
    if (templates.has(null)) return // the reference may mean the invalid one
    const sources = [...templates.keys()].flatMap((source) => source ?? [])
    const hint = suggest(template, sources) || `; it has ${sources.join(', ')}`
    yield {
      path: `${path}.template`,
      message: `names no URI template of the operation: ${JSON.stringify(template)}${hint}`,
    }
    return
  }
  const meant = template === undefined ? [...templates.values()] : [templates.get(template)]
  if (meant.includes(undefined)) return
  const variables = meant.flatMap((names) => names ?? [])
  const where = template === undefined ? 'any URI template of the operation' : `the URI template ${template}`
  for (const name of Object.keys(parameters ?? {})) {
    if (variables.includes(name)) continue
    const hint = suggest(name, variables) || (variables.length > 0 ? `; known are ${variables.join(', ')}` : '')
    yield { path: `${path}.${formatPath(['parameters', name])}`, message: `is not a variable of ${where}${hint}` }
  }
}

function readTemplates(sources: readonly (string | null)[], document: DocumentTemplate | undefined): Templates {
  return new Map(
    sources.map((source) => {
      if (source === null || (source.includes('{') && !document)) return [source, undefined]
      const parsed = parseUriTemplate(source, 1, document)
      return [source, 'template' in parsed ? parsed.template.variables : undefined]
    }),
  )
}
