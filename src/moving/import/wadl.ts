/** WADL as operations that respond with a minimal body of their media type (specification 16.8). */

import type { XmlElement } from '../../model/content/xml.ts'
import { parseXml } from '../../model/content/xml-reader.ts'
import type { PrimitiveType } from '../../model/document-template.ts'
import { methods } from '../../model/operation-terms.ts'
import type { Problem } from '../../model/problem.ts'
import { Refusal } from '../../model/refusal.ts'
import { modeRows } from '../../model/verification.ts'
import { type DescribedMethod, type DescribedParameter, findDescribed } from './described.ts'
import type { ImportResult } from './imported-operations.ts'
import { isCredential } from './infer-verification.ts'
import { decode } from './json-reference.ts'
import type { Note } from './members.ts'
import { chooseContentType } from './recording.ts'
import { emptyXml, isXmlType } from './schema-example.ts'
import { type Claim, demand, demandUnknown, mergeClaims, open, overTls, refused, silent } from './verification.ts'
import { children, localName, noteChildren, openReferences, type References } from './wadl-elements.ts'
import { quoteNames } from './write-notes.ts'

const limits = { xmlMaxDepth: 64, xmlMaxAttributes: 100, xmlMaxTextLength: 1024 * 1024 }

export function importWadl(text: string, file: string): ImportResult {
  const notices: Problem[] = []
  const problems: Problem[] = []
  const described: DescribedMethod[] = []
  try {
    const { root } = parseXml(text, limits)
    if (localName(root) !== 'application') throw new Error('is not a WADL document: its root is not <application>')
    const service = children(root, 'doc')[0]?.attributes.title ?? 'IMPORTED'
    const note = (path: string, message: string) => void notices.push({ path, message })
    const references = openReferences(root, note)
    const walker = { service, described, note, references, left: maxExpanded }
    noteChildren(root, 'application', file, note)
    for (const resources of children(root, 'resources')) {
      const { base = '' } = resources.attributes
      noteChildren(resources, 'resources', file, note)
      for (const resource of children(resources, 'resource'))
        walk(resource, { base, path: '', parameters: [], demands: [], around: [] }, walker)
    }
    if (described.length === 0) throw new Error('has no resources with methods to import')
  } catch (error) {
    if (!(error instanceof Refusal) && !(error instanceof Error && error.constructor === Error)) throw error
    problems.push({
      path: file,
      message: error instanceof Refusal ? `is not a WADL document: ${error.message}` : error.message,
    })
  }
  const found = findDescribed(problems.length > 0 ? [] : described)
  return { ...found, notices: [...notices, ...found.notices], problems }
}

/** Resources, methods and their parameters, wherever a reference leads to them. */
const maxExpanded = 200_000
/** Maximum depth of types within types. */
const maxTypes = 32

interface Walker {
  readonly service: string
  readonly described: DescribedMethod[]
  readonly note: Note
  readonly references: References
  /** How many more are allowed. */
  left: number
}

/** What a resource is in. */
interface ResourceScope {
  readonly base: string
  readonly path: string
  readonly parameters: readonly DescribedParameter[]
  /** Verifications that header parameters demand. */
  readonly demands: readonly Claim[]
  /** The types that it is a part of. */
  readonly around: readonly XmlElement[]
}

function walk(
  resource: XmlElement,
  { base, path: above, parameters: inherited, demands: stated, around }: ResourceScope,
  walker: Walker,
) {
  const { references, note } = walker
  const [own = '', query = ''] = (resource.attributes.path ?? '').split('?')
  const path = `${above}/${own.replace(/^\/|(?<!^)\/$/g, '')}`
  const types = (resource.attributes.type ?? '').split(/\s+/).flatMap((href) => {
    return href === '' ? [] : (references.find(href, 'resource_type', path) ?? [])
  })
  if (around.length >= maxTypes || types.some((type) => around.includes(type))) {
    note(path, `is left out: its types contain each other, or more than ${maxTypes} others`)
    return
  }
  const sources = [resource, ...types]
  for (const source of sources) noteChildren(source, 'resource', path, note)
  const find = (name: string) => sources.flatMap((source) => references.follow(children(source, name), path))
  const declared = find('param').flatMap((param) => readParam(param, path, note))
  const parameters = replace(inherited, [...declared, ...readQuery(query, declared)])
  const demands = [...stated, ...find('param').flatMap(readDemand)]
  spend(1 + parameters.length, walker)
  for (const method of find('method'))
    walker.described.push(...readMethod(method, { base, path, parameters, demands, around }, walker))
  for (const source of sources)
    for (const inner of children(source, 'resource'))
      walk(
        inner,
        { base, path, parameters, demands, around: source === resource ? around : [...around, source] },
        walker,
      )
}

/** Inner declarations take the place of outer ones. */
function replace(outer: readonly DescribedParameter[], inner: readonly DescribedParameter[]) {
  return [...new Map([...outer, ...inner].map((one) => [`${one.in} ${one.name}`, one])).values()]
}

function spend(count: number, walker: Walker): void {
  walker.left -= count
  if (walker.left < 0)
    throw new Error(`has more than ${maxExpanded} resources, methods and parameters where its references lead to them`)
}

/** `?x={y}` in the path of a resource, as the original writes it: the parameter x, with the type of y. */
function readQuery(query: string, declared: readonly DescribedParameter[]): readonly DescribedParameter[] {
  const pairs = query.split('&').filter((pair) => pair !== '')
  return pairs.map((pair): DescribedParameter => {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? []
    const [, variable] = /^\{([^{}]*)\}$/.exec(value) ?? []
    const shared = { name: decode(name), in: 'query', isRequired: true, list: 'none' } as const
    if (variable === undefined) return { ...shared, type: 'String', literal: decode(value) }
    const known = declared.find((one) => one.name === variable)
    return { ...shared, variable, type: known?.type ?? 'String', length: known?.length, values: known?.values }
  })
}

function readMethod(
  element: XmlElement,
  { base, path, parameters: shared, demands }: ResourceScope,
  walker: Walker,
): readonly DescribedMethod[] {
  const { service, note, references } = walker
  const { name } = element.attributes
  const method = methods.find((known) => known === name)
  if (!method) {
    note(path, `leaves out the method ${JSON.stringify(name ?? '')}: operations cannot have it`)
    return []
  }
  const place = `${method} ${path}`
  noteChildren(element, 'method', place, note)
  const [request] = children(element, 'request')
  if (request) noteChildren(request, 'methodRequest', place, note)
  const inRequest = request ? references.follow(children(request, 'param'), place) : []
  const own = inRequest.flatMap((param) => readParam(param, place, note))
  const parameters = replace(shared, own)
  spend(1 + parameters.length, walker)
  const readBody = (container: XmlElement | undefined, at: string) => {
    const [first, ...others] = container ? references.follow(children(container, 'representation'), place) : []
    if (!first) return undefined
    noteChildren(first, 'representation', at, note)
    const lost = others.map(({ attributes }) => attributes.mediaType ?? '')
    if (lost.length > 0) note(at, `is its first representation only, without ${quoteNames(lost)}`)
    const { mediaType } = first.attributes
    return { type: mediaType && chooseContentType(mediaType, 'application/json', (message) => note(at, message)) }
  }
  const responses = children(element, 'response')
  const success =
    responses.find((one) => statusOf(one) !== undefined) ??
    responses.find(({ attributes }) => attributes.status === undefined)
  if (success) noteChildren(success, 'methodResponse', place, note)
  const status = (success && statusOf(success)) ?? 200
  const statuses = responses.flatMap(({ attributes }) => attributes.status?.trim().split(/\s+/) ?? [])
  const others = statuses.filter((one) => one !== String(status))
  if (others.length > 0) note(place, `answers ${status} only, without ${quoteNames(others)}`)
  const body = readBody(success, `${place} ${status}`)
  const contentType = body?.type || 'application/json'
  const isBodiless = method === 'HEAD' || status === 204 || status === 205 || !body
  return [
    {
      base,
      path,
      method,
      service,
      description: children(element, 'doc')[0]?.text.trim() || undefined,
      ...mergeClaims([readClaim(responses), ...demands, ...inRequest.flatMap(readDemand)]),
      parameters,
      requestType: readBody(request, `${place} request`)?.type || undefined,
      answer: {
        status,
        contentType,
        headers: {},
        body: { text: isBodiless ? '' : leastOf(contentType), isBase64: false },
      },
    },
  ]
}

/** The first success of a list: `200 201`. */
function statusOf({ attributes }: XmlElement): number | undefined {
  const [status] = /\b2\d\d\b/.exec(attributes.status ?? '') ?? []
  return status === undefined ? undefined : Number(status)
}

function leastOf(contentType: string): string {
  if (isXmlType(contentType)) return emptyXml
  return /json/i.test(contentType) ? '{}\n' : ''
}

function readDemand({ attributes: { style, name = '' } }: XmlElement): readonly Claim[] {
  return style === 'header' && isCredential(name) ? [demandUnknown(`the header "${name}"`)] : []
}

/** WADL cannot express it; the gateway's own lists the possible refusals, and NONE takes every kind of credentials. */
function readClaim(responses: readonly XmlElement[]): Claim {
  const codes = new Set(
    responses.flatMap((response) => children(response, 'doc').flatMap(({ text }) => text.split(/[,\s]+/))),
  )
  const kinds = modeRows.filter(({ refusal }) => refusal !== undefined && codes.has(refusal)).map(({ mode }) => mode)
  const isOpen = codes.has('permissionDenied') && kinds.length > 1
  const isRefused = responses.some(({ attributes }) => /\b40[13]\b/.test(attributes.status ?? ''))
  const claim = isOpen ? open : kinds.length > 0 ? mergeClaims(kinds.map(demand)) : isRefused ? refused : silent
  return codes.has('tlsRequired') ? overTls(claim) : claim
}

function readParam(param: XmlElement, place: string, note: Note): readonly DescribedParameter[] {
  const { name, style, type = '', required, repeating, fixed } = param.attributes
  if (name === undefined || (style !== 'template' && style !== 'query')) {
    note(place, `leaves out the parameter "${name}": it is in the "${style}", not in path or query`)
    return []
  }
  noteChildren(param, 'param', place, note)
  const values = children(param, 'option').flatMap(({ attributes }) => attributes.value ?? [])
  return [
    {
      name,
      in: style === 'template' ? 'path' : 'query',
      isRequired: style === 'template' || required === 'true' || fixed !== undefined,
      type: types[type.replace(/^.*:/, '')] ?? 'String',
      list: repeating !== 'true' ? 'none' : style === 'template' ? 'comma' : 'repeated',
      values: values.length > 0 ? values : undefined,
      literal: fixed,
    },
  ]
}

const types: Readonly<Record<string, PrimitiveType>> = {
  base64Binary: 'Binary',
  boolean: 'Boolean',
  date: 'Date',
  dateTime: 'DateTime',
  decimal: 'Decimal',
  double: 'Decimal',
  float: 'Decimal',
  int: 'Integer',
  integer: 'Integer',
  long: 'Integer',
  short: 'Integer',
  time: 'Time',
}
