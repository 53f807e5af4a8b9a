/**
 * Turns recorded requests into operations (specification 16.6, 16.7). The gateway's own matcher checks each recorded
 * request against the result; a request that would not get its recorded response is reported.
 */
import { suggest } from '../../base/nearest.ts'
import { segmentOf } from '../../model/operation-name.ts'
import { readPrimitive } from '../../model/primitive.ts'
import type { Problem } from '../../model/problem.ts'
import { encodeSegment } from '../../model/uri/build-uri.ts'
import { matchUriTemplates } from '../../model/uri/match-uri-template.ts'
import { compileTemplates, type UriTemplate } from '../../model/uri/uri-template.ts'
import { compileDocument } from './check-templates.ts'
import { leaveOutPassing, notePassing, preferAnswer } from './choose-answer.ts'
import { findChanges } from './find-changes.ts'
import type { FoundElement, FoundOperation, FoundRow, ImportedOperations } from './imported-operations.ts'
import { type InferredTemplates, inferTemplates, type ToldTypes } from './infer-templates.ts'
import { inferVerification } from './infer-verification.ts'
import { chooseGatewayPath, countNames } from './place-url.ts'
import type { ChangingCall, RecordedCall, Recording } from './recording.ts'
import { type Claim, nameOf } from './verification.ts'
import { isSameAnswer, type RecordedRow, sorted, widenRows, withoutParameters } from './widen-rows.ts'

export interface ImportedRequests extends ImportedOperations {
  readonly problems: readonly Problem[]
}

export interface RequestOptions {
  readonly service: string
  /** Variables whose unrecorded values get an answer, too. */
  readonly any?: ReadonlySet<string> | 'all'
  readonly types?: ToldTypes
  /** Paths of values in request bodies: rows are chosen by them, as by variables. */
  readonly bodyPaths?: readonly string[]
}

/** @param leftOut calls that count for the verification only */
export function importRequests(
  recordings: readonly Recording[],
  options: RequestOptions,
  leftOut: readonly RecordedCall[] = [],
): ImportedRequests {
  const notices: Problem[] = []
  const problems: Problem[] = []
  const verifications = new Map(
    [...Map.groupBy([...leftOut, ...recordings], operationOf)].map(([key, group]) => [
      key,
      inferVerification(group, notices),
    ]),
  )
  const lasting = leaveOutPassing(recordings, notices)
  notices.push(...notePassing(lasting))
  const ordered = findChanges(lasting, (one, other) => isSameAnswer(one.answer, other.answer))
  const operations = [...Map.groupBy(ordered, operationOf)]
    .map(([key, group]) => ({
      ...importOperation(group, options, notices, problems),
      ...(verifications.get(key) as Claim),
    }))
    .filter(({ rows }) => rows.length > 0) // the notes say why the others have none
  if (operations.length === 0 && recordings.length > 0)
    problems.push({ path: 'the requests', message: 'have nothing to import: no template matches them' })
  problems.push(...findUnknown(operations, options), ...findAbsent(recordings, options))
  const nodes = countNames(recordings.map(({ url }) => url.node))
  const gatewayPath = chooseGatewayPath(
    recordings.map(({ url }) => url),
    notices,
  )
  const secrets = new Set(recordings.flatMap(({ url }) => url.secrets))
  if (secrets.size > 0)
    notices.push({ path: 'parameters', message: `that carry credentials are not imported: ${[...secrets].join(', ')}` })
  for (const one of recordings)
    if (one.url.node === undefined) {
      const message = `has no RESTListeningConnector: ${one.url.shown} is served as ${servedUrl(one)} below the node`
      notices.push({ path: one.place, message })
    }
  return { operations, nodes, gatewayPath, notices, problems }
}

/** Names that the options have, and no operation. */
function findUnknown(
  operations: readonly FoundOperation[],
  { any = 'all', types = new Map() }: RequestOptions,
): readonly Problem[] {
  const known = new Set(
    operations.flatMap(({ elements, pinned }) => [...Object.keys(elements), ...(pinned?.keys() ?? [])]),
  )
  const unknown = (option: string, names: Iterable<string>) =>
    [...names]
      .filter((name) => !known.has(name))
      .map((name) => ({ path: `${option} ${name}`, message: `names no variable${suggest(name, [...known])}` }))
  return [...unknown('--any', any === 'all' ? [] : any), ...unknown('--type', types.keys())]
}

function findAbsent(recordings: readonly Recording[], { bodyPaths = [] }: RequestOptions): readonly Problem[] {
  return bodyPaths
    .filter((path) => !recordings.some(({ bodyValues = {} }) => path in bodyValues))
    .map((path) => ({ path: `--body ${path}`, message: 'is in no recorded request body' }))
}

function operationOf({ url, method }: RecordedCall): string {
  return JSON.stringify([url.alias, url.version, method])
}

function importOperation(
  group: readonly Recording[],
  { service, any = new Set(), types }: RequestOptions,
  notices: Problem[],
  problems: Problem[],
): Omit<FoundOperation, keyof Claim> {
  const [first] = group as [Recording]
  const inferred = inferTemplates(
    group.map(({ url }) => url),
    types,
  )
  const templates = compileTemplates(inferred.sources, compileDocument(inferred.elements))
  const answered: RecordedRow[] = []
  for (const recording of group) {
    const match = findRow(recording, templates)
    if (match) answered.push({ recording, ...match, parameters: { ...match.parameters, ...recording.bodyValues } })
    else
      notices.push({
        path: recording.place,
        message: `is left out: no inferred template matches ${recording.url.shown}`,
      })
  }
  const secrets = new Set(group.flatMap(({ url }) => url.secrets))
  const distinct = distinctRows(answered.map((one) => withoutParameters(one, secrets)))
  const changed = distinct.filter(({ recording }) => recording.after)
  const unchanged = distinct.filter(({ recording }) => !recording.after)
  const widened = widenRows(unchanged, any === 'all' ? new Set(Object.keys(inferred.elements)) : any)
  const rows = [...orderRows(changed), ...orderRows(widened.rows)]
  const name = nameOf({ ...first.url, method: first.method })
  for (const { recording } of changed) {
    const message = `answers ${name} as recorded after a call of ${nameOf(recording.after as ChangingCall)}`
    notices.push({ path: recording.place, message })
  }
  for (const variable of widened.loosened)
    notices.push({
      path: name,
      message: `answers any value of ${JSON.stringify(variable)}: the recorded ones have the same response`,
    })
  for (const one of answered) {
    const winner = rows.find((row) => isAnsweredBy(one, row))
    if (!winner || isSameAnswer(winner.recording.answer, one.recording.answer)) continue
    const { place, url, method } = one.recording
    const isSame = winner.recording.url.shown === url.shown
    const why = isSame ? 'the same URL' : `${winner.recording.url.shown}, which matches the same requests`
    const message = `${method} ${url.shown} gets the response of ${winner.recording.place}: ${why}`
    notices.push({ path: place, message })
  }
  problems.push(...findMisfits(answered, inferred.elements))
  return {
    service,
    alias: first.url.alias,
    version: first.url.version,
    method: first.method,
    templates: inferred.sources,
    elements: inferred.elements,
    rows: rows.map(({ template, parameters, recording }): FoundRow => {
      const [body = [], variables = []] = [true, false].map((isBody) =>
        Object.entries(parameters).filter(([name]) => name.startsWith('/') === isBody),
      )
      const { answer, after } = recording
      const row = { template: template.source, parameters: Object.fromEntries(variables), answer }
      return { ...row, body: Object.fromEntries(body), after }
    }),
    review: inferred.sources.map((source) => {
      const explained = answered.filter(({ template }) => template.source === source)
      const [one] = explained
      const url = one ? servedUrl(one.recording) : ''
      return { template: source, requests: explained.length, example: one?.recording.url.shown ?? '', url }
    }),
    pinned: findPinned(rows),
  }
}

/** Values that a type of the options does not take. */
function* findMisfits(
  answered: readonly RecordedRow[],
  elements: Readonly<Record<string, FoundElement>>,
): Iterable<Problem> {
  for (const { recording, parameters } of answered) {
    for (const [name, text] of Object.entries(parameters)) {
      const { type = 'String', isCollection } = elements[name] ?? {}
      const values = isCollection ? text.split(',') : [text]
      const value = values.find((one) => readPrimitive(type, one).value === undefined)
      if (value === undefined) continue
      yield {
        path: recording.place,
        message: `has ${JSON.stringify(value.slice(0, 64))} for ${JSON.stringify(name)}, which is no ${type}`,
      }
    }
  }
}

function findPinned(rows: readonly RecordedRow[]): ReadonlyMap<string, readonly string[]> {
  const pinned = new Map<string, Set<string>>()
  for (const { template, parameters } of rows) {
    for (const [name, text] of Object.entries(parameters)) {
      const hasOther = rows.some((row) => row.template === template && !(name in row.parameters))
      if (!hasOther) pinned.set(name, (pinned.get(name) ?? new Set()).add(text))
    }
  }
  return new Map([...pinned].map(([name, texts]) => [name, [...texts]]))
}

/** The template that the gateway's matcher finds for each. */
export function findTemplates(
  recordings: readonly Recording[],
  inferred: InferredTemplates,
): readonly (string | undefined)[] {
  const templates = compileTemplates(inferred.sources, compileDocument(inferred.elements))
  return recordings.map((recording) => findRow(recording, templates)?.template.source)
}

function findRow({ url }: Recording, templates: readonly UriTemplate[]): Omit<RecordedRow, 'recording'> | undefined {
  const rawPath = ['', 'operation', ...url.path.map(encodeURIComponent)].join('/')
  const rawQuery = url.query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
  const match = matchUriTemplates(templates, { rawPath, rawQuery, path: url.path, query: url.query })
  if (!match) return undefined
  const entries = [...match.texts].map(([name, text]) => [name, [text].flat().join(',')])
  return { template: match.template, parameters: Object.fromEntries(entries) }
}

function servedUrl({ url }: Recording): string {
  const query = url.query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
  const path = [`/${segmentOf(url)}`, ...url.path.map(encodeSegment)].join('/')
  return query === '' ? path : `${path}?${query}`
}

/** The rows without repetitions; of equal ones, that with the preferred answer. */
function distinctRows(answered: readonly RecordedRow[]): readonly RecordedRow[] {
  const keys = Map.groupBy(answered, ({ template, parameters, recording }) =>
    JSON.stringify([template.index, sorted(parameters), recording.after]),
  )
  return [...keys.values()].map((equal) =>
    equal.reduce((earlier, later) =>
      preferAnswer(earlier.recording, later.recording) === later.recording ? later : earlier,
    ),
  )
}

/** More specific rows come before less specific ones. */
function orderRows(rows: readonly RecordedRow[]): readonly RecordedRow[] {
  return rows.toSorted(
    (a, b) =>
      a.template.index - b.template.index || Object.keys(b.parameters).length - Object.keys(a.parameters).length,
  )
}

function isAnsweredBy({ template, parameters, recording: { after } }: RecordedRow, row: RecordedRow): boolean {
  if (row.template !== template) return false
  if (row.recording.after && JSON.stringify(row.recording.after) !== JSON.stringify(after)) return false
  return Object.entries(row.parameters).every(([name, text]) => parameters[name] === text)
}
