/**
 * URI templates: their form, their parser, and their order from the most to the least specific (specification 2.16 to
 * 2.21).
 */
import type { DocumentElement, DocumentTemplate } from '../document-template.ts'
import type { Problem } from '../problem.ts'

export interface UriTemplate {
  /** 1-based, in the order of the configuration. */
  readonly index: number
  readonly source: string
  readonly variables: readonly string[]
  /** One pattern for each segment, at least one; `/` is the one empty literal. */
  readonly path: readonly Pattern[]
  readonly query: readonly QueryPart[]
  /** Literal segments, literal characters, query variables: more of the first that differs wins. */
  readonly specificity: readonly [number, number, number]
  /** The key that requests distinguish: equal for two templates that match the same requests. */
  readonly signature: string
}

/** A path segment: text, then each variable with the text after it. Without variables it is a literal. */
export interface Pattern {
  readonly head: string
  readonly fields: readonly Field[]
}

export interface Field {
  readonly variable: Variable
  readonly tail: string
}

export interface Variable {
  readonly element: DocumentElement
  /** `comma`: one text, the values separated by commas; `repeated`: a query pair for each value. */
  readonly list: 'none' | 'comma' | 'repeated'
}

/** A query pair: `name=literal`, or a variable; the template matches without it only if it is optional. */
export type QueryPart =
  | { readonly name: string; readonly literal: string; readonly variable?: undefined }
  | { readonly name: string; readonly variable: Variable; readonly isOptional: boolean; readonly literal?: undefined }

export type ParsedUriTemplate = { readonly template: UriTemplate } | { readonly problems: readonly Problem[] }

/** @param path of the template in the configuration, for its problems */
export function parseUriTemplate(
  source: string,
  index: number,
  document: DocumentTemplate | undefined,
  path = '',
): ParsedUriTemplate {
  const reader = new TemplateReader(document)
  const [, pathSource = '', querySource = ''] = /^((?:[^{}?]|\{(?![?&])[^{}]*\})*)(.*)$/s.exec(source) ?? []
  const segments = pathSource.replace(/^\//, '').split(/\/(?![^{}]*\})/)
  const patterns = segments.map((segment) => reader.readPattern(segment))
  const query = reader.readQuery(querySource)
  reader.requireElements()

  if (reader.faults.length > 0) return { problems: reader.faults.map((message) => ({ path, message })) }
  const specificity = measure(patterns, query)
  const variables = [...reader.variables]
  return {
    template: { index, source, variables, path: patterns, query, specificity, signature: sign(patterns, query) },
  }
}

/** @throws Error if one is not valid. From the most to the least specific. */
export function compileTemplates(
  sources: readonly string[],
  document: DocumentTemplate | undefined,
): readonly UriTemplate[] {
  return sources
    .map((source, index) => {
      const parsed = parseUriTemplate(source, index + 1, document)
      if ('template' in parsed) return parsed.template
      throw new Error(`The URI template ${source} ${parsed.problems[0]?.message}`)
    })
    .sort(compareSpecificity)
}

/** Sorts the most specific template first. */
export function compareSpecificity(a: UriTemplate, b: UriTemplate): number {
  const [segments, characters, variables] = a.specificity
  const [otherSegments, otherCharacters, otherVariables] = b.specificity
  return otherSegments - segments || otherCharacters - characters || otherVariables - variables || a.index - b.index
}

/**
 * Whether two templates match exactly the same requests: names and types of variables, optional members and the order
 * of the query do not matter. A trailing slash does: the path as sent goes first.
 */
export function sameRequests(a: UriTemplate, b: UriTemplate): boolean {
  return a.signature === b.signature
}

class TemplateReader {
  readonly faults: string[] = []
  readonly variables = new Set<string>()
  readonly #names = new Set<string>()
  readonly #document: DocumentTemplate | undefined

  constructor(document: DocumentTemplate | undefined) {
    this.#document = document
  }

  readPattern(segment: string): Pattern {
    const [head = '', ...rest] = segment.split(/\{([^{}]*)\}/) // text, name, text, name, … text
    const fields: Field[] = []
    for (let at = 0; at < rest.length; at += 2) {
      const name = rest[at] ?? ''
      const tail = rest[at + 1] ?? ''
      const variable = this.#readVariable(name, 'comma', `{${name}}`)
      if (variable) fields.push({ variable, tail: this.#decode(tail) })
      if (tail === '' && at + 2 < rest.length) {
        this.faults.push(`has nothing between {${name}} and {${rest[at + 2]}}: nothing separates their values`)
      }
    }
    return { head: this.#decode(head), fields }
  }

  readQuery(source: string): QueryPart[] {
    if (source === '') return []
    const match = /^(?:\?((?:[^{}]|\{(?![?&])[^{}]*\})*))?((?:\{[?&][^{}]*\})*)$/s.exec(source)
    if (!match) {
      this.faults.push(`has an unmatched brace or misplaced text in ${JSON.stringify(source)}`)
      return []
    }
    const [, pairs, expressions = ''] = match
    return [
      ...(pairs?.split('&') ?? []).flatMap((pair) => this.#readPair(pair)),
      ...[...expressions.matchAll(/\{(.)([^{}]*)\}/g)].flatMap(([expression, operator, members = ''], at) => {
        const expected = at === 0 && pairs === undefined ? '?' : '&'
        if (operator !== expected) this.faults.push(`has ${expression} where {${expected}${members}} belongs`)
        return members.split(',').flatMap((member) => this.#readMember(member, expression))
      }),
    ]
  }

  /** A required element that the template cannot fill would make every request fail. */
  requireElements(): void {
    for (const { name, isRequired } of this.#document?.elements.values() ?? []) {
      if (!isRequired || this.variables.has(name)) continue
      this.faults.push(`omits {${name}}, which its document template requires`)
    }
  }

  #readPair(pair: string): QueryPart[] {
    const match = /^([^={}]+)(?:=(?:\{([^{}]*)\}|([^{}]*)))?$/s.exec(pair)
    if (!match) {
      this.faults.push(`has ${JSON.stringify(pair)} in its query: a pair is name={variable} or name=literal`)
      return []
    }
    const [, nameSource = '', variableName, literal = ''] = match
    const name = this.#claim(this.#decodeForm(nameSource))
    if (variableName === undefined) return [{ name, literal: this.#decodeForm(literal) }]
    const variable = this.#readVariable(variableName, 'comma', pair)
    return variable ? [{ name, variable, isOptional: false }] : []
  }

  #readMember(member: string, expression: string): QueryPart[] {
    const isExploded = member.endsWith('*')
    const name = this.#claim(isExploded ? member.slice(0, -1) : member)
    const variable = this.#readVariable(name, isExploded ? 'repeated' : 'comma', expression)
    if (isExploded && variable?.list === 'none') {
      this.faults.push(`has ${expression}, but ${name} is not a collection: only a collection has several values`)
    }
    return variable ? [{ name, variable, isOptional: true }] : []
  }

  #readVariable(name: string, list: 'comma' | 'repeated', expression: string): Variable | undefined {
    const element = this.#document?.elements.get(name)
    if (!element) {
      this.faults.push(this.#explain(name, expression))
      return undefined
    }
    if (this.variables.has(name)) this.faults.push(`has the variable ${name} twice`)
    this.variables.add(name)
    return { element, list: element.isCollection ? list : 'none' }
  }

  #explain(name: string, expression: string): string {
    if (name === '') return `has no name in ${expression}`
    if (/^[+#./;?&=,!@|]|[*,:]/.test(name)) return `has ${expression}: known are {name}, {?a,b}, {&a,b} and {?list*}`
    if (!this.#document) return `has the variable ${name}, but its operation has no document template`
    const known = [...this.#document.elements.keys()].join(', ')
    if (known === '') return `has the variable ${name}, but its document template has no elements`
    return `has the variable ${name}, but the elements of its document template are ${known}`
  }

  #claim(name: string): string {
    if (this.#names.has(name)) this.faults.push(`has the query name ${name} twice`)
    this.#names.add(name)
    return name
  }

  #decodeForm(text: string): string {
    return this.#decode(text.replaceAll('+', ' '))
  }

  /** A literal is written as in a URL; characters that a URL must encode may also be written directly. */
  #decode(text: string): string {
    try {
      const literal = decodeURIComponent(text)
      if (!text.includes('#') && !literal.includes('\0') && literal.isWellFormed()) return literal
    } catch {} // reported below
    this.faults.push(`has the text ${JSON.stringify(text)}, which a URL cannot contain: write % as %25 and # as %23`)
    return ''
  }
}

function measure(path: readonly Pattern[], query: readonly QueryPart[]): UriTemplate['specificity'] {
  const texts = [
    ...path.flatMap(({ head, fields }) => [head, ...fields.map(({ tail }) => tail)]),
    ...query.flatMap((part) => (part.variable && part.isOptional ? [] : [part.name, part.literal ?? ''])),
  ]
  return [
    path.filter(({ fields }) => fields.length === 0).length,
    texts.reduce((sum, text) => sum + text.length, 0),
    query.filter(({ variable }) => variable).length,
  ]
}

function sign(path: readonly Pattern[], query: readonly QueryPart[]): string {
  const required = query
    .filter((part) => !part.variable || !part.isOptional)
    .map(({ name, literal }) => JSON.stringify([name, literal]))
  return JSON.stringify([path.map(({ head, fields }) => [head, ...fields.map(({ tail }) => tail)]), required.sort()])
}
