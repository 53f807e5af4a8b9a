/**
 * Finds the URI template that a request matches, and the texts of its variables (specification 1.12, 2.18 to 2.23).
 * Looks at each template once and tries no variable at several lengths, so the cost is linear in the URL.
 */
import { markCommas, markQueryCommas, type Target } from './target.ts'
import type { Pattern, QueryPart, UriTemplate } from './uri-template.ts'

export interface UriMatch {
  readonly template: UriTemplate
  /** Texts by variable, decoded; all texts of a collection; without absent optional members. */
  readonly texts: ReadonlyMap<string, string | readonly string[]>
}

export type RequestedUri = Pick<Target, 'rawPath' | 'rawQuery' | 'path' | 'query'>

/** @param templates the most specific first */
export function matchUriTemplates(templates: readonly UriTemplate[], target: RequestedUri): UriMatch | undefined {
  const { path, query } = target
  const pairs = new QueryPairs(query)
  let best: UriTemplate | undefined
  let bestPhase: number = phase.none
  for (const template of templates) {
    const found = findPhase(template.path, path)
    if (found >= bestPhase || !template.query.every((part) => pairs.has(part))) continue
    best = template
    bestPhase = found
    if (found === phase.asSent) break
  }
  return best && { template: best, texts: readTexts(best, target, pairs) }
}

/** The order in which they are tried: a lower one wins. */
const phase = { asSent: 0, slashRemoved: 1, slashAdded: 2, lastIsEmpty: 3, none: 4 } as const

/** The number of segments alone decides which phases can match. */
function findPhase(patterns: readonly Pattern[], path: readonly string[]): number {
  const added = patterns.length - path.length
  if (added < -1 || added > 1) return phase.none
  const last = patterns.length - 1
  if (added === -1) {
    return path.at(-1) === '' && fits(patterns, path, last + 1) ? phase.slashRemoved : phase.none
  }
  if (added === 1) {
    const endsInSlash = isLiteral(patterns[last]) && patterns[last]?.head === ''
    const isMadeUp = path.at(-1) === '' && !isLiteral(patterns[last - 1]) // a value between the last slash and the added one
    return endsInSlash && !isMadeUp && fits(patterns, path, last) ? phase.slashAdded : phase.none
  }
  if (!fits(patterns, path, last + 1)) return phase.none
  return endsEmpty(patterns[last], path[last]) ? phase.lastIsEmpty : phase.asSent
}

function isLiteral(pattern: Pattern | undefined): boolean {
  return pattern?.fields.length === 0
}

function fits(patterns: readonly Pattern[], path: readonly string[], count: number): boolean {
  for (let at = 0; at < count; at += 1) {
    const pattern = patterns[at]
    const segment = path[at]
    if (!pattern || segment === undefined || !readFields(pattern, segment)) return false
  }
  return true
}

/** Whether an empty variable ends the path. */
function endsEmpty(pattern: Pattern | undefined, segment: string | undefined): boolean {
  if (!pattern || segment === undefined || pattern.fields.at(-1)?.tail !== '') return false
  return readFields(pattern, segment)?.at(-1) === ''
}

/** The texts of a segment's variables: each but the last ends at the first occurrence of the text after it. */
export function readFields({ head, fields }: Pattern, segment: string): readonly string[] | undefined {
  if (fields.length === 0) return segment === head ? noFields : undefined
  if (!segment.startsWith(head)) return undefined
  const texts: string[] = []
  let start = head.length
  for (const [at, { tail }] of fields.entries()) {
    const isLast = at === fields.length - 1
    const end = isLast ? segment.length - tail.length : segment.indexOf(tail, start)
    if (end < start || (isLast && !segment.endsWith(tail))) return undefined
    texts.push(segment.slice(start, end))
    start = end + tail.length
  }
  return texts
}

const noFields: readonly string[] = []

function readTexts(template: UriTemplate, target: RequestedUri, pairs: QueryPairs): UriMatch['texts'] {
  if (template.variables.length === 0) return noTexts
  const texts = new Map<string, string | readonly string[]>()
  for (const [at, pattern] of template.path.entries()) {
    const found = readFields(pattern, target.path[at] ?? '')
    let start = pattern.head.length
    for (const [index, { variable, tail }] of pattern.fields.entries()) {
      const text = found?.[index] ?? ''
      const end = start + text.length
      const isList = variable.list !== 'none'
      texts.set(variable.element.name, isList ? splitList(markCommas(target, at).slice(start, end)) : text)
      start = end + tail.length
    }
  }
  for (const { name, variable } of template.query) {
    const values = variable && pairs.get(name)
    if (!values) continue
    if (variable.list === 'none') texts.set(variable.element.name, values[0] ?? '')
    else if (variable.list === 'repeated') texts.set(variable.element.name, values)
    else texts.set(variable.element.name, markQueryCommas(target, name).flatMap(splitList))
  }
  return texts
}

/** Splits at raw commas; encoded ones are marked and count as data. */
function splitList(marked: string): string[] {
  const values = marked.split(',')
  return marked.includes('\0') ? values.map((value) => value.replaceAll('\0', ',')) : values
}

const noTexts: UriMatch['texts'] = new Map()

/** The query by name; parsed only if a template needs it. */
export class QueryPairs {
  readonly #query: Target['query']
  #byName: Map<string, string[]> | undefined

  constructor(query: Target['query']) {
    this.#query = query
  }

  has(part: QueryPart): boolean {
    if (part.literal !== undefined) return this.get(part.name)?.includes(part.literal) ?? false
    return part.isOptional || this.get(part.name) !== undefined
  }

  get(name: string): readonly string[] | undefined {
    this.#byName ??= this.#sort()
    return this.#byName.get(name)
  }

  #sort(): Map<string, string[]> {
    const byName = new Map<string, string[]>()
    for (const [name, value] of this.#query) {
      const values = byName.get(name)
      if (values) values.push(value)
      else byName.set(name, [value])
    }
    return byName
  }
}
