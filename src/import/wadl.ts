/** WADL as operations that respond with a minimal body of their media type (specification 16.8). */

import type { XmlElement } from '../model/content/xml.ts'
import { parseXml } from '../model/content/xml-reader.ts'
import type { PrimitiveType } from '../model/document-template.ts'
import { methods } from '../model/operation-terms.ts'
import type { Problem } from '../model/problem.ts'
import { Refusal } from '../model/refusal.ts'
import { type DescribedMethod, type DescribedParameter, findDescribed } from './described.ts'
import type { Imported } from './openapi.ts'
import { readContentType } from './recording.ts'
import { emptyXml, isXmlType } from './schema-example.ts'
import { withTls } from './verification.ts'

const limits = { xmlMaxDepth: 64, xmlMaxAttributes: 100, xmlMaxTextLength: 1024 * 1024 }

export function importWadl(text: string, file: string): Imported {
  const notices: Problem[] = []
  const problems: Problem[] = []
  const described: DescribedMethod[] = []
  try {
    const { root } = parseXml(text.replace(/^\ufeff/, ''), limits)
    if (localName(root) !== 'application') throw new Error('is not a WADL document: its root is not <application>')
    const service = children(root, 'doc')[0]?.attributes.title ?? 'IMPORTED'
    for (const resources of children(root, 'resources')) {
      const walker: Walker = { base: resources.attributes.base ?? '', service, described, notices }
      for (const resource of children(resources, 'resource')) walk(resource, '', [], walker)
    }
    if (described.length === 0) throw new Error('has no resources with methods to import')
  } catch (error) {
    if (!(error instanceof Refusal) && !(error instanceof Error && error.constructor === Error)) throw error
    problems.push({
      path: file,
      message: error instanceof Refusal ? `is not a WADL document: ${error.message}` : error.message,
    })
  }
  const found = findDescribed(described)
  return { ...found, notices: [...notices, ...found.notices], problems }
}

interface Walker {
  readonly base: string
  readonly service: string
  readonly described: DescribedMethod[]
  readonly notices: Problem[]
}

function walk(resource: XmlElement, above: string, inherited: readonly DescribedParameter[], walker: Walker): void {
  const [own = '', query = ''] = (resource.attributes.path ?? '').split('?')
  const path = `${above}/${own.replace(/^\/|(?<!^)\/$/g, '')}`
  const declared = children(resource, 'param').flatMap(readParam)
  const parameters = [...inherited, ...declared, ...readQuery(query, declared)]
  for (const method of children(resource, 'method')) {
    if (method.attributes.href === undefined) walker.described.push(...readMethod(method, path, parameters, walker))
    else
      walker.notices.push({ path, message: `has a method by reference, ${method.attributes.href}, which is left out` })
  }
  for (const inner of children(resource, 'resource')) walk(inner, path, parameters, walker)
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

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function readMethod(
  element: XmlElement,
  path: string,
  shared: readonly DescribedParameter[],
  { base, service, notices }: Walker,
): readonly DescribedMethod[] {
  const method = methods.find((known) => known === element.attributes.name)
  if (!method) {
    notices.push({
      path,
      message: `has the method ${element.attributes.name ?? ''}, which is left out: operations cannot have it`,
    })
    return []
  }
  const [request] = children(element, 'request')
  const own = request ? children(request, 'param').flatMap(readParam) : []
  const [body] = request ? children(request, 'representation') : []
  const responses = children(element, 'response')
  const success =
    responses.find(({ attributes }) => /^2\d\d$/.test(attributes.status ?? '')) ??
    responses.find(({ attributes }) => attributes.status === undefined)
  const [representation] = success ? children(success, 'representation') : []
  const contentType = readContentType(representation?.attributes.mediaType ?? '') ?? 'application/json'
  const status = Number(success?.attributes.status ?? 200)
  const isBodiless = method === 'HEAD' || status === 204 || status === 205 || !representation
  return [
    {
      base,
      path,
      method,
      service,
      description: children(element, 'doc')[0]?.text.trim() || undefined,
      ...readVerification(responses),
      parameters: [...shared, ...own],
      requestType: readContentType(body?.attributes.mediaType ?? ''),
      answer: {
        status,
        contentType,
        headers: {},
        body: { text: isBodiless ? '' : leastOf(contentType), isBase64: false },
      },
    },
  ]
}

function leastOf(contentType: string): string {
  if (isXmlType(contentType)) return emptyXml
  return /json/i.test(contentType) ? '{}\n' : ''
}

/** WADL cannot express it; the gateway's own lists the possible refusals. */
function readVerification(responses: readonly XmlElement[]): Pick<DescribedMethod, 'verification' | 'isDeclaredOpen'> {
  const codes = new Set(
    responses.flatMap((response) => children(response, 'doc').flatMap(({ text }) => text.split(/[,\s]+/))),
  )
  const needsTls = codes.has('tlsRequired')
  const [known, other] = verificationsByRefusal
    .filter(([code]) => codes.has(code))
    .map(([, verification]) => verification)
  const isOpen = known === undefined || other !== undefined // NONE takes every kind of credentials
  const kind = isOpen ? 'NONE' : known
  return { verification: needsTls ? withTls(kind) : kind, isDeclaredOpen: codes.has('permissionDenied') }
}

const verificationsByRefusal = [
  ['basicRejected', 'Basic'],
  ['tokenRejected', 'OAuth2'],
  ['sessionTokenRejected', 'Token'],
  ['certificateRejected', 'Certificate'],
] as const

function readParam({ attributes }: XmlElement): readonly DescribedParameter[] {
  const { name, style, type = '', required, repeating, fixed } = attributes
  if (name === undefined || (style !== 'template' && style !== 'query')) return []
  return [
    {
      name,
      in: style === 'template' ? 'path' : 'query',
      isRequired: style === 'template' || required === 'true' || fixed !== undefined,
      type: types[type.replace(/^.*:/, '')] ?? 'String',
      list: repeating === 'true' ? 'repeated' : 'none',
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

function localName({ name }: XmlElement): string {
  return name.replace(/^.*:/, '')
}

function children(element: XmlElement, name: string): readonly XmlElement[] {
  return element.elements().filter((child) => localName(child) === name)
}
