/**
 * Checks that an operation has a handler or recorded responses, and that every row can match (specification 16.1,
 * 16.5).
 */

import { suggest } from '../../base/nearest.ts'
import type { DocumentElement, DocumentTemplate } from '../document-template.ts'
import { formatPath, type Problem } from '../problem.ts'
import { Refusal } from '../refusal.ts'
import { readValue } from '../uri/uri-document.ts'
import { parseUriTemplate } from '../uri/uri-template.ts'
import type { Unchecked } from './unchecked.ts'

interface Placed {
  readonly path: string
  readonly operation: NonNullable<NonNullable<Unchecked['operations']>[number]>
}

/** @param document of the operation's document template */
export function* checkFixture({ path, operation }: Placed, document: DocumentTemplate | undefined): Iterable<Problem> {
  const { handler, fixture, uriTemplates } = operation
  if (handler === undefined && fixture === undefined) {
    const message = 'is missing: name a module of the project (handlers/my-handler.ts), or set fixture instead'
    yield { path: `${path}.handler`, message }
  }
  if (handler !== undefined && fixture !== undefined) {
    yield { path: `${path}.fixture`, message: 'cannot be set together with handler: remove one of them' }
  }
  if (!fixture || typeof fixture === 'string' || uriTemplates === null) return
  const known = readTemplates(uriTemplates?.length ? uriTemplates : ['/'], document)
  const isCovered = rememberRows()
  for (const [index, row] of fixture.entries()) {
    if (!row) continue
    const place = `${path}.fixture[${index}]`
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
