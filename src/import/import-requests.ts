/**
 * Turns recorded requests into operations (specification 16.6, 16.7). The gateway's own matcher checks each recorded
 * request against the result; a request that would not get its recorded response is reported.
 */

import type { DocumentTemplate } from '../model/document-template.ts'
import type { Verification } from '../model/operation-terms.ts'
import { readPrimitive } from '../model/primitive.ts'
import type { Problem } from '../model/problem.ts'
import { encodeSegment } from '../model/uri/build-uri.ts'
import { matchUriTemplates } from '../model/uri/match-uri-template.ts'
import { compareSpecificity, parseUriTemplate, type UriTemplate } from '../model/uri/uri-template.ts'
import type { Found, FoundElement, FoundOperation, FoundRow } from './found.ts'
import { type InferredTemplates, inferTemplates } from './infer-templates.ts'
import type { RecordedAnswer, Recording } from './recording.ts'

export interface ImportedRequests extends Found {
  readonly problems: readonly Problem[]
}

export function importRequests(recordings: readonly Recording[], service: string): ImportedRequests {
  const notices: string[] = []
  const problems: Problem[] = []
  const groups = Map.groupBy(recordings, ({ url, method }) => JSON.stringify([url.alias, url.version, method]))
  const operations = [...groups.values()].map((group) => importOperation(group, service, notices, problems))
  const nodes = countBy(recordings.flatMap(({ url }) => url.node ?? []))
  const gatewayPaths = countBy(recordings.flatMap(({ url }) => url.gatewayPath ?? []))
  if (gatewayPaths.length > 1) {
    notices.push(`the URLs have the gateway paths ${gatewayPaths.join(', ')}: all are served below the first`)
  }
  const secrets = new Set(recordings.flatMap(({ url }) => url.secrets))
  if (secrets.size > 0)
    notices.push(`query parameters that carry credentials are not imported: ${[...secrets].join(', ')}`)
  const moved = recordings.filter(({ url }) => url.node === undefined)
  const [one] = moved
  if (one) {
    const count = moved.length === 1 ? '1 URL has' : `${moved.length} URLs have`
    notices.push(`${count} no RESTListeningConnector: ${one.url.shown} is served as ${servedUrl(one)} below the node`)
  }
  return { operations, nodes, gatewayPath: gatewayPaths[0], notices, problems }
}

/** Each once, the most frequent first. */
function countBy(texts: readonly string[]): readonly string[] {
  return [...Map.groupBy(texts, (text) => text)].sort(([, a], [, b]) => b.length - a.length).map(([text]) => text)
}

function importOperation(
  group: readonly Recording[],
  service: string,
  notices: string[],
  problems: Problem[],
): FoundOperation {
  const [first] = group as [Recording]
  const inferred = inferTemplates(group.map(({ url }) => url))
  const templates = compileTemplates(inferred)
  const answered: Answered[] = []
  for (const recording of group) {
    const match = findRow(recording, templates)
    if (match) answered.push({ recording, ...match })
    else
      problems.push({
        path: recording.place,
        message: `is not answered: no inferred template matches ${recording.url.shown}`,
      })
  }
  const rows = orderRows(answered)
  for (const one of answered) {
    const winner = rows.find((row) => isAnsweredBy(one, row))
    if (!winner || sameAnswer(winner.recording.answer, one.recording.answer)) continue
    const { place, url, method } = one.recording
    const isSame = winner.recording.url.shown === url.shown
    const why = isSame ? 'the same URL' : `${winner.recording.url.shown}, which matches the same requests`
    notices.push(
      `${place} ${method} ${url.shown} gets the response of ${winner.recording.place}: ${why}; the first one wins`,
    )
  }
  const elements = loosen(inferred.elements, answered)
  return {
    service,
    alias: first.url.alias,
    version: first.url.version,
    method: first.method,
    verification: findVerification(group),
    templates: inferred.sources,
    elements,
    rows: rows.map(({ template, parameters, recording }): FoundRow => {
      return { template: template.source, parameters, answer: recording.answer }
    }),
    review: inferred.sources.map((source) => {
      const explained = answered.filter(({ template }) => template.source === source)
      const [one] = explained
      const url = one ? servedUrl(one.recording) : ''
      return { template: source, requests: explained.length, example: one?.recording.url.shown ?? '', url }
    }),
  }
}

interface Answered {
  readonly recording: Recording
  readonly template: UriTemplate
  readonly parameters: Readonly<Record<string, string>>
}

/** A request may match another template than the one inferred from it: that template's elements accept its values. */
function loosen(elements: InferredTemplates['elements'], answered: readonly Answered[]): InferredTemplates['elements'] {
  const texts = Map.groupBy(
    answered.flatMap(({ parameters }) => Object.entries(parameters)),
    ([name]) => name,
  )
  const entries = Object.entries(elements).map(([name, element]) => {
    const values = (texts.get(name) ?? []).flatMap(([, text]) => (element.isCollection ? text.split(',') : [text]))
    const isTaken = values.every((value) => readPrimitive(element.type, value).value !== undefined)
    return [name, isTaken ? element : { ...element, type: 'String' as const }] as const
  })
  return Object.fromEntries(entries)
}

function compileTemplates({ sources, elements }: InferredTemplates): readonly UriTemplate[] {
  const document = compileDocument(elements)
  return sources
    .map((source, index) => {
      const parsed = parseUriTemplate(source, index + 1, document)
      if ('template' in parsed) return parsed.template
      throw new Error(`The inferred URI template ${source} ${parsed.problems[0]?.message}`)
    })
    .sort(compareSpecificity)
}

function compileDocument(elements: Readonly<Record<string, FoundElement>>): DocumentTemplate {
  const entries = Object.entries(elements).map(([name, { type, isCollection = false }]) => {
    return [name, { name, type, isCollection, isRequired: false, length: undefined, values: undefined }] as const
  })
  return { name: 'IMPORTED', elements: new Map(entries) }
}

function findRow({ url }: Recording, templates: readonly UriTemplate[]): Omit<Answered, 'recording'> | undefined {
  const rawPath = ['', 'operation', ...url.path.map(encodeURIComponent)].join('/')
  const rawQuery = url.query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
  const match = matchUriTemplates(templates, { rawPath, rawQuery, path: url.path, query: url.query })
  if (!match) return undefined
  const entries = [...match.texts].map(([name, text]) => [name, [text].flat().join(',')])
  return { template: match.template, parameters: Object.fromEntries(entries) }
}

function servedUrl({ url }: Recording): string {
  const query = url.query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
  const path = [`/${url.alias}.${url.version}`, ...url.path.map(encodeSegment)].join('/')
  return query === '' ? path : `${path}?${query}`
}

/** The first of equal rows; more specific rows come before less specific ones. */
function orderRows(answered: readonly Answered[]): readonly Answered[] {
  const keys = Map.groupBy(answered, ({ template, parameters }) => JSON.stringify([template.index, sorted(parameters)]))
  const rows = [...keys.values()].map(([first]) => first as Answered)
  return rows.sort(
    (a, b) =>
      a.template.index - b.template.index || Object.keys(b.parameters).length - Object.keys(a.parameters).length,
  )
}

function sorted(parameters: Answered['parameters']) {
  return Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
}

function isAnsweredBy({ template, parameters }: Answered, row: Answered): boolean {
  if (row.template !== template) return false
  return Object.entries(row.parameters).every(([name, text]) => parameters[name] === text)
}

function sameAnswer(a: RecordedAnswer, b: RecordedAnswer): boolean {
  const bodyOf = ({ body }: RecordedAnswer) => ('source' in body ? body.source : body.text)
  return a === b || (a.status === b.status && bodyOf(a) === bodyOf(b))
}

/** NONE unless a request had credentials. */
function findVerification(group: readonly Recording[]): Verification {
  const schemes = new Set(group.map(({ scheme }) => scheme))
  if (schemes.has('basic')) return 'Basic'
  if (schemes.has('bearer')) return 'OAuth2'
  return schemes.has('sessionToken') ? 'Token' : 'NONE'
}
