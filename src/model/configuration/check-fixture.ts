/** What answers an operation: a handler or recorded responses, and whether their rows can match (specification 16.1, 16.5). */

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
    const message = 'is missing: name a module of the project (handlers/my-handler.ts), or state a fixture instead'
    yield { path: `${path}.handler`, message }
  }
  if (handler !== undefined && fixture !== undefined) {
    yield { path: `${path}.fixture`, message: 'cannot stand beside a handler: state one of the two' }
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
      yield { path: place, message: `never answers: fixture[${first}] matches all that it does, and comes first` }
  }
}

/**
 * A row is covered by an earlier one with no condition that it has not. By the names that rows have conditions on, of
 * which a table has few: a table of many rows costs no more than as many look-ups for each of them.
 * @returns gives the index of the first row that covers, or else remembers the row
 */
function rememberRows(): (row: Row, index: number) => number | undefined {
  const shapes = new Map<string, { readonly keys: readonly string[]; readonly rows: Map<string, number> }>()
  return ({ template, parameters }, index) => {
    const conditions = new Map<string, unknown>(Object.entries(parameters ?? {}))
    if (template) conditions.set('{template}', template)
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

/** What the element refuses (400) never comes to a row. */
function* checkText(element: DocumentElement | undefined, text: unknown, path: string): Iterable<Problem> {
  if (!element || typeof text !== 'string') return
  if (element.isCollection && element.values?.some((value) => value.includes(','))) return // no text tells where one ends
  try {
    for (const one of element.isCollection ? text.split(',') : [text]) readValue(element, one)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    yield { path, message: `can never come: ${error.message}, not ${JSON.stringify(text)}` }
  }
}

/** By the text of a template: its variables. Undefined where a fault of its own was reported. */
type Templates = ReadonlyMap<string | null, readonly string[] | undefined>

interface Row {
  readonly template?: string | null | undefined
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined
}

function* checkRow({ template, parameters }: Row, path: string, templates: Templates): Iterable<Problem> {
  if (template === null) return
  if (template !== undefined && !templates.has(template)) {
    if (templates.has(null)) return // the faulty one may be meant
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
    yield { path: `${path}.${formatPath(['parameters', name])}`, message: `is no variable of ${where}${hint}` }
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
