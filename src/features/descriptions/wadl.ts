/**
 * One service as a WADL document (2009/02), as the original publishes it (specification 12.8). Every URI template is a
 * resource of its own, so none are merged.
 */
import type { Catalog } from '../../configuration/catalog.ts'
import type { MessageDefinition } from '../../model/content/message-definition.ts'
import { createXmlDoc, isXmlText, writeElement, writeXml, type XmlElement } from '../../model/content/xml.ts'
import type { DocumentElement, PrimitiveType } from '../../model/document-template.ts'
import type { Operation } from '../../model/operation.ts'
import type { QueryPart, UriTemplate, Variable } from '../../model/uri/uri-template.ts'
import { type DescribeOptions, describeService, readSummaries, serverUrl } from './openapi.ts'
import { keyHeader, requiresKey } from './parameters.ts'
import { idOf, pathVariables, writePath } from './paths.ts'
import { findRefusals, type RefusalSettings, takesBody } from './refusals.ts'
import { mediaTypeOf, ownResponses } from './responses.ts'
import { describeElement } from './schemas.ts'
import { selectOperations } from './select-operations.ts'

export interface WadlOptions extends DescribeOptions {
  readonly service: string
}

export function describeWadl(catalog: Catalog, options: WadlOptions): string {
  return [...writeWadl(catalog, options)].join('')
}

/** Writes the WADL in pieces, one for each resource. */
export function* writeWadl(catalog: Catalog, options: WadlOptions): Generator<string> {
  const { service, settings } = options
  const summaries = readSummaries(catalog)
  const document = createXmlDoc('application')
  document.root
    .setAttribute('xmlns', 'http://wadl.dev.java.net/2009/02')
    .setAttribute('xmlns:xs', 'http://www.w3.org/2001/XMLSchema')
  addDoc(document.root, describeService(service, catalog), service)
  document.root.addElement('resources', ' ').setAttribute('base', `${serverUrl(catalog, options)}/`)
  const [head = '', end = ''] = writeXml(document).split(/ (?=<\/resources>)/)
  yield head
  for (const operation of selectOperations(catalog, options)) {
    for (const template of operation.templates.toSorted((a, b) => a.index - b.index)) {
      const summary = summaries.get(operation.id)
      yield writeElement(describeResource(operation, template, summary, settings))
    }
  }
  yield end
}

function describeResource(
  operation: Operation,
  template: UriTemplate,
  summary: string | undefined,
  settings: RefusalSettings,
): XmlElement {
  const path = `${operation.segment}${writePath(template)}`
  const resource = createXmlDoc('resource').root.setAttribute('path', path)
  for (const { element } of pathVariables(template)) {
    const param = addParam(resource, element.name, 'template', element.isCollection ? 'String' : element.type, true)
    describeValue(param, element, element.name)
  }

  const method = resource.addElement('method')
  method.setAttribute('name', operation.method).setAttribute('id', idOf(operation, template))
  if (summary !== undefined) addDoc(method, summary)
  addRequest(method, operation, template)
  addResponses(method, operation, settings)
  return resource
}

function addRequest(method: XmlElement, operation: Operation, { query }: UriTemplate): void {
  if (query.length === 0 && !takesBody(operation) && !operation.idempotency) return
  const request = method.addElement('request')
  for (const part of query) addQueryParam(request, part)
  if (operation.idempotency)
    addDoc(addParam(request, keyHeader.name, 'header', 'String', requiresKey(operation)), keyHeader.description)
  if (takesBody(operation)) addRepresentation(request, operation.request)
}

/** Names and values that XML cannot carry are omitted. */
function addQueryParam(request: XmlElement, part: QueryPart): void {
  if (!isXmlText(part.name)) return
  if (!part.variable) {
    const param = addParam(request, part.name, 'query', 'String', true)
    if (isXmlText(part.literal)) param.setAttribute('fixed', part.literal)
    return
  }
  const { element, list }: Variable = part.variable
  const isRequired = !part.isOptional || element.isRequired
  const param = addParam(request, part.name, 'query', list === 'comma' ? 'String' : element.type, isRequired)
  if (list === 'repeated') param.setAttribute('repeating', 'true')
  describeValue(param, element, part.name)
}

/** Options only if the parameter is a single value, not a comma-separated list. */
function describeValue(param: XmlElement, element: DocumentElement, name: string): void {
  addDoc(param, describeElement(element, name))
  if (element.isCollection && param.attributes.repeating !== 'true') return
  for (const value of element.values ?? []) {
    if (isXmlText(value)) param.addElement('option').setAttribute('value', value)
  }
}

function addParam(
  parent: XmlElement,
  name: string,
  style: 'template' | 'query' | 'header',
  type: PrimitiveType,
  isRequired: boolean,
): XmlElement {
  return parent
    .addElement('param')
    .setAttribute('name', name)
    .setAttribute('style', style)
    .setAttribute('type', types[type])
    .setAttribute('required', String(isRequired))
}

/** The operation's own, its fault message's, and the refusals: each status once. */
function addResponses(method: XmlElement, operation: Operation, settings: RefusalSettings): void {
  const { answers, faults } = ownResponses(operation)
  const responses = [...answers, ...faults]
  const refusals = findRefusals(operation, settings)
  const statuses = new Set([...responses.map(({ httpCode }) => httpCode), ...refusals.map(({ status }) => status)])
  for (const status of [...statuses].sort((a, b) => a - b)) {
    const { codes = [], bodies = [] } = refusals.find((refusal) => refusal.status === status) ?? {}
    const element = method.addElement('response').setAttribute('status', String(status))
    if (codes.length > 0) addDoc(element, codes.join(', '))
    const own = responses.filter(({ httpCode }) => httpCode === status).map(mediaTypeOf)
    const types = new Set([...own, ...bodies.flatMap((body) => mediaTypes[body])])
    if (operation.method === 'HEAD') continue
    for (const type of types) element.addElement('representation').setAttribute('mediaType', type)
  }
}

const mediaTypes = {
  empty: [],
  page: ['text/html'],
  problem: ['application/problem+json', 'application/problem+xml'],
} as const

function addRepresentation(parent: XmlElement, message: MessageDefinition): void {
  parent.addElement('representation').setAttribute('mediaType', mediaTypeOf(message))
}

function addDoc(parent: XmlElement, text: string, title?: string): void {
  const doc = parent.addElement('doc', isXmlText(text) ? text : '')
  if (title !== undefined) doc.setAttribute('title', title)
}

const types: Readonly<Record<PrimitiveType, string>> = {
  Binary: 'xs:base64Binary',
  Boolean: 'xs:boolean',
  Character: 'xs:string',
  Date: 'xs:date',
  DateTime: 'xs:dateTime',
  Decimal: 'xs:decimal',
  Integer: 'xs:long',
  String: 'xs:string',
  Text: 'xs:string',
  Time: 'xs:time',
}
