/** Turns one method at one path of OpenAPI or WADL into a URI template of an operation (specification 16.8). */

import type { PrimitiveType } from '../../model/document-template.ts'
import { segmentOf } from '../../model/operation-name.ts'
import type { Method } from '../../model/operation-terms.ts'
import type { Problem } from '../../model/problem.ts'
import { sampleValue } from '../../model/sample-value.ts'
import { encodeSegment } from '../../model/uri/build-uri.ts'
import { readElement } from '../../model/uri/uri-document.ts'
import { findTemplateProblems } from './check-templates.ts'
import type { FoundElement, FoundOperation, FoundRow, ImportedOperations } from './imported-operations.ts'
import { decode } from './json-reference.ts'
import { isElementName, openElementNames, type TakenNames, toElementName } from './names.ts'
import {
  chooseGatewayPath,
  connector,
  gatewayPathOf,
  type PlacedPath,
  placePath,
  splitOperation,
  splitOriginal,
} from './place-url.ts'
import type { RecordedAnswer } from './recording.ts'
import { type Claim, isOpen, mergeClaims } from './verification.ts'

export interface DescribedMethod extends Claim {
  /** The URL of the server. */
  readonly base: string
  /** The path relative to the base, with variables in braces. */
  readonly path: string
  readonly method: Method
  readonly service: string
  readonly description: string | undefined
  /** It counts for the verification only. */
  readonly isLeftOut?: boolean
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

export function findDescribed(described: readonly DescribedMethod[]): ImportedOperations {
  const notices: Problem[] = []
  const placed = described.flatMap((given) => {
    try {
      return { one: keepValues(given, notices), place: placeDescribed(given) }
    } catch (error) {
      notices.push({ path: placeOf(given), message: `is left out: it ${(error as Error).message}` })
      return []
    }
  })
  for (const { one, place } of placed)
    if (place.isMoved && !one.isLeftOut) {
      const url = pathOf(one.base) + one.path
      const message = `is served as ${sampleUrl(one, place)} below the node, because ${url} names no operation of the original`
      notices.push({ path: placeOf(one), message })
    }
  const groups = Map.groupBy(placed, ({ one, place }) => JSON.stringify([place.alias, place.version, one.method]))
  const operations = [...groups.values()].flatMap((group) => importOperation(group, notices))
  const nodes = placed.flatMap(({ place }) => place.node ?? [])
  const gatewayPath = chooseGatewayPath(
    placed.map(({ place }) => place),
    notices,
  )
  return { operations, gatewayPath, nodes: [...new Set(nodes)], notices }
}

interface PlacedMethod {
  readonly one: DescribedMethod
  readonly place: MethodPlace
}

interface MethodPlace extends PlacedPath {
  /** It is served at another URL than the documented one. */
  readonly isMoved: boolean
}

/** Makes operations of the methods at all paths below one operation. */
function importOperation(all: readonly PlacedMethod[], notices: Problem[]): readonly FoundOperation[] {
  const elements = new Map<string, FoundElement>()
  const written = all
    .filter(({ one }) => !one.isLeftOut)
    .map((placed) => ({
      ...placed,
      template: writeTemplate(placed.one, placed.place.path, elements, notices),
    }))
  const problems = findTemplateProblems(
    written.map(({ template }) => template),
    Object.fromEntries(elements),
  )
  for (const [at, problem] of problems.entries())
    if (problem !== undefined && written[at])
      notices.push({ path: placeOf(written[at].one), message: `is left out: its path ${problem}` })
  const group = written.filter((_, at) => problems[at] === undefined)
  const [first] = group
  if (!first) return []
  const { alias, version } = first.place
  const claim = mergeClaims(all.map(({ one }) => one))
  const { verification } = claim
  for (const { one } of all)
    if (one.verification !== verification && !one.isLeftOut) {
      const stated = isOpen(one) && !one.isDeclaredOpen ? 'nothing' : one.verification
      const message = `declares ${stated} and gets ${verification}, the strictest of the paths of ${segmentOf({ alias, version })}`
      notices.push({ path: placeOf(one), message })
    }
  const { service, method, description, requestType } = first.one
  for (const { one } of group)
    for (const [kept, lost] of [
      [service, one.service],
      [requestType, one.requestType],
    ])
      if (lost !== undefined && lost !== kept)
        notices.push({
          path: placeOf(one),
          message: `is described as "${kept}", as ${placeOf(first.one)}, not as "${lost}"`,
        })
  return [
    {
      ...{ service, alias, version, method, description, requestType },
      ...claim,
      templates: group.map(({ template }) => template),
      elements: Object.fromEntries(elements),
      rows: group.map(({ one, template }): FoundRow => ({ template, parameters: {}, answer: one.answer })),
      review: group.map(({ one, place, template }) => {
        return { template, requests: 0, example: one.path, url: sampleUrl(one, place) }
      }),
    },
  ]
}

function placeOf({ method, path }: DescribedMethod): string {
  return `${method} ${path}`
}

/** The part of a URL after its host; a path is its own. */
export function pathOf(base: string): string {
  return base
    .replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/\/+$/, '')
}

/** The base may end anywhere: before the connector, the node or the operation, or behind it. */
function placeDescribed({ base, path }: DescribedMethod): MethodPlace {
  const own = path.split('/').slice(1)
  const whole = [...pathOf(base).split('/').slice(1), ...own]
  const at = whole.indexOf(connector)
  if (at < 0) {
    const isMoved = whole.length > own.length || splitOperation(own[0]) === undefined
    return { ...placePath([decode(own[0] ?? ''), ...own.slice(1)]), isMoved }
  }
  const [node = '', operation = '', ...rest] = whole.slice(at + 1)
  const placed = [decode(operation), ...rest]
  if (node === '' || operation === '' || splitOriginal(decode(operation)))
    return { ...placePath([...whole.slice(0, at + 1), decode(node), ...placed]), isMoved: false }
  return { ...placePath(placed), gatewayPath: gatewayPathOf(whole, at), node: decode(node), isMoved: true }
}

/** Values that their type refuses are not imported, and so any value is allowed. */
function keepValues(given: DescribedMethod, notices: Problem[]): DescribedMethod {
  const parameters = given.parameters.map((one) => {
    const wrong = one.values?.find((text) => readElement(one, text).fault !== undefined)
    if (wrong === undefined) return one
    const message = `allows any value of ${JSON.stringify(one.name)}: ${JSON.stringify(wrong.slice(0, 64))} is none of its type ${one.type}`
    notices.push({ path: placeOf(given), message })
    return { ...one, values: undefined }
  })
  return { ...given, parameters }
}

/** With values that its elements accept. */
function sampleUrl({ parameters }: DescribedMethod, { path, ...own }: PlacedPath): string {
  const inPath = new Map(parameters.filter((one) => one.in === 'path').map((one) => [one.name, one]))
  const segments = path.map((segment) =>
    segment.replace(/\{([^{}]*)\}/g, (_, name: string) => encodeSegment(sampleValue(inPath.get(name) ?? text))),
  )
  const query = parameters
    .filter((one) => one.in === 'query' && one.isRequired)
    .map((one) => `${encodeURIComponent(one.name)}=${encodeURIComponent(one.literal ?? sampleValue(one))}`)
  const url = [`/${segmentOf(own)}`, ...segments].join('/')
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
        message: `ignores the query parameter ${JSON.stringify(name)}, which may have any value`,
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
