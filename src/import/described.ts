/** Turns one method at one path of OpenAPI or WADL into a URI template of an operation (specification 16.8). */

import type { PrimitiveType } from '../model/document-template.ts'
import type { Method, Verification } from '../model/operation-terms.ts'
import type { Problem } from '../model/problem.ts'
import { sampleValue } from '../model/sample-value.ts'
import { encodeSegment } from '../model/uri/build-uri.ts'
import type { Found, FoundElement, FoundOperation, FoundRow } from './found.ts'
import { isElementName, openElementNames, type TakenNames, toElementName } from './names.ts'
import { connector, type PlacedPath, placePath } from './place-url.ts'
import type { RecordedAnswer } from './recording.ts'
import { findStrictest } from './verification.ts'

export interface DescribedMethod {
  /** Of the server. */
  readonly base: string
  /** With variables in braces; relative to the base. */
  readonly path: string
  readonly method: Method
  readonly service: string
  readonly description: string | undefined
  readonly verification: Verification
  /** Whether the document says that no credentials are needed; saying nothing is not enough. */
  readonly isDeclaredOpen: boolean
  readonly parameters: readonly DescribedParameter[]
  readonly requestType: string | undefined
  readonly answer: RecordedAnswer
}

export interface DescribedParameter {
  readonly name: string
  /** The variable, if it has another name. */
  readonly variable?: string | undefined
  readonly in: 'path' | 'query'
  readonly isRequired: boolean
  readonly type: PrimitiveType
  readonly list: 'none' | 'comma' | 'repeated'
  readonly length?: number | undefined
  readonly values?: readonly string[] | undefined
  /** A fixed value. */
  readonly literal?: string | undefined
}

export function findDescribed(described: readonly DescribedMethod[]): Found {
  const notices: Problem[] = []
  const bases = new Map([...new Set(described.map(({ base }) => base))].map((base) => [base, readBase(base, notices)]))
  const placed = described.flatMap((one) => {
    try {
      const { below = [] } = bases.get(one.base) ?? {}
      const [name = '', ...rest] = [...below, ...one.path.split('/').slice(1)]
      return { one, place: placePath([decode(name), ...rest]) }
    } catch (error) {
      notices.push({ path: placeOf(one), message: `is left out: it ${(error as Error).message}` })
      return []
    }
  })
  const groups = Map.groupBy(placed, ({ one, place }) => JSON.stringify([place.alias, place.version, one.method]))
  const operations = [...groups.values()].map((group): FoundOperation => {
    const [{ one: first, place }] = group as [(typeof group)[number]]
    const elements = new Map<string, FoundElement>()
    const templates = group.map(({ one, place: { path } }) => writeTemplate(one, path, elements, notices))
    const rows = group.map(({ one }, at): FoundRow => ({ template: templates[at], parameters: {}, answer: one.answer }))
    const verification = findStrictest(group.map(({ one }) => one.verification))
    for (const { one } of group)
      if (one.verification !== verification) {
        const message = `declares ${one.verification} and gets ${verification}, the strictest of the paths of ${place.alias}.${place.version}`
        notices.push({ path: placeOf(one), message })
      }
    return {
      service: first.service,
      alias: place.alias,
      version: place.version,
      method: first.method,
      description: first.description,
      verification,
      isDeclaredOpen: group.every(({ one }) => one.isDeclaredOpen),
      requestType: first.requestType,
      templates,
      elements: Object.fromEntries(elements),
      rows,
      review: group.map(({ one, place }, at) => ({
        template: templates[at] ?? '',
        requests: 0,
        example: one.path,
        url: sampleUrl(one, place),
      })),
    }
  })
  const known = [...bases.values()]
  const nodes = known.flatMap(({ node }) => node ?? [])
  const gatewayPath = known.flatMap((base) => base.gatewayPath ?? [])[0]
  return { operations, gatewayPath, nodes: [...new Set(nodes)], notices }
}

function placeOf({ method, path }: DescribedMethod): string {
  return `${method} ${path}`
}

interface Base {
  readonly gatewayPath?: string | undefined
  readonly node?: string | undefined
  /** Segments that belong to the operation: `ECHO.v1`. */
  readonly below: readonly string[]
}

/** Of a URL, or of a path itself. */
export function pathOf(base: string): string {
  return base.replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function readBase(base: string, notices: Problem[]): Base {
  const path = pathOf(base)
  const segments = path.split('/').filter((segment) => segment !== '')
  const at = segments.indexOf(connector)
  if (at >= 0) {
    const [node, ...below] = segments.slice(at + 1)
    return { gatewayPath: segments[at - 1], node, below }
  }
  if (segments.length > 0)
    notices.push({
      path: `the base path ${path}`,
      message: `is not served: it has no ${connector}, so operations are placed by their own paths`,
    })
  return { below: [] }
}

/** With values that its elements accept. */
function sampleUrl({ parameters }: DescribedMethod, { alias, version, path }: PlacedPath): string {
  const inPath = new Map(parameters.filter((one) => one.in === 'path').map((one) => [one.name, one]))
  const segments = path.map((segment) =>
    segment.replace(/\{([^{}]*)\}/g, (_, name: string) => encodeSegment(sampleValue(inPath.get(name) ?? text))),
  )
  const query = parameters
    .filter((one) => one.in === 'query' && one.isRequired)
    .map((one) => `${encodeURIComponent(one.name)}=${encodeURIComponent(one.literal ?? sampleValue(one))}`)
  const url = [`/${alias}.${version}`, ...segments].join('/')
  return query.length > 0 ? `${url}?${query.join('&')}` : url
}

function writeTemplate(
  { method, path: shown, parameters }: DescribedMethod,
  path: readonly string[],
  elements: Map<string, FoundElement>,
  notices: Problem[],
): string {
  const used = openElementNames()
  const inPath = new Map(parameters.filter((one) => one.in === 'path').map((one) => [one.name, one]))
  const segments = path.map((segment) =>
    segment
      .split(/(\{[^{}]*\})/)
      .map((part) => {
        const [, name] = /^\{([^{}]*)\}$/.exec(part) ?? []
        if (name === undefined) return writeText(part)
        return `{${addElement(inPath.get(name) ?? { ...text, name }, elements, used)}}`
      })
      .join(''),
  )
  const source = segments.join('/')
  const pairs: string[] = []
  const optional: string[] = []
  for (const parameter of parameters.filter((one) => one.in === 'query')) {
    const { name, isRequired, list, literal } = parameter
    if (literal !== undefined && isRequired) pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(literal)}`)
    else if (isRequired && list !== 'repeated')
      pairs.push(`${encodeURIComponent(name)}={${addElement(parameter, elements, used)}}`)
    else if (isElementName(name) && fits(parameter, elements.get(name)) && !used.has(name)) {
      addElement(parameter, elements, used)
      optional.push(list === 'repeated' ? `${name}*` : name)
    } else
      notices.push({
        path: `${method} ${shown}`,
        message: `ignores the query parameter ${name}, which may have any value`,
      })
  }
  const query = pairs.length > 0 ? `?${pairs.join('&')}` : ''
  const rest = optional.length > 0 ? `{${query === '' ? '?' : '&'}${optional.join(',')}}` : ''
  return (/^(?:\/|$)/.test(source) ? `/${source}` : source) + query + rest
}

const text = { in: 'path', isRequired: true, type: 'String', list: 'none' } as const

/** A literal of a path is written as in a URL; other characters are encoded. */
function writeText(part: string): string {
  try {
    decodeURIComponent(part)
    return part.replace(/[#?{}]/g, encodeURIComponent)
  } catch {
    return encodeURIComponent(part)
  }
}

function fits({ list }: DescribedParameter, known: FoundElement | undefined): boolean {
  return known === undefined || (known.isCollection ?? false) === (list !== 'none')
}

/** One element for all templates with the name; if their types differ, it is a String. */
function addElement(parameter: DescribedParameter, elements: Map<string, FoundElement>, used: TakenNames): string {
  const { type, list, length, values } = parameter
  const isOther = (name: string) => !fits(parameter, elements.get(name))
  const name = used.add(toElementName(parameter.variable ?? parameter.name), list === 'none' ? '' : 'list', isOther)
  const collection = list === 'none' ? {} : { isCollection: true }
  const element = { type, ...collection, ...(length ? { length } : {}), ...(values?.length ? { values } : {}) }
  const known = elements.get(name)
  const isSame = known === undefined || JSON.stringify(known) === JSON.stringify(element)
  elements.set(name, isSame ? element : { type: known.type === type ? type : 'String', ...collection })
  return name
}
