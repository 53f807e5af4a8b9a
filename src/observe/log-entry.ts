/**
 * An observation as a log entry: the `ig.log.level` that writes it, the log, and its text, free of secrets and safe to
 * display in every log (specification 8.5 to 8.7).
 */

import { cutText } from '../base/cut-text.ts'
import { showLine, showLines } from '../base/escape.ts'
import { listHeaders, listRequestHeaders, type StreamEnd } from '../model/call.ts'
import { type AnsweredCall, durationOf, readableOf, recordCall } from '../model/call-record.ts'
import type { JobRun, LogLevel, Observation } from '../model/observation.ts'
import { loggedBodyBytes } from '../model/operation-terms.ts'
import { type RefusalCode, type RefusalRow, refusalTable } from '../model/refusal.ts'
import { isSecretName } from '../model/secret-name.ts'
import type { Transaction } from '../model/transaction.ts'
import { type Masking, maskings } from './masking/masking.ts'
import { redactText } from './masking/redact.ts'
import { showBody } from './masking/show-body.ts'

export interface LogEntry {
  /** Epoch milliseconds. */
  readonly time: number
  readonly severity: LogLevel
  /** One line. */
  readonly message: string
  /** JSON has them in this order; those of a call begin with method, url and status. */
  readonly facts: Readonly<Record<string, string | number>>
  /** Longer texts: stack, detail. */
  readonly texts: readonly LogText[]
  /** The detail of a note as JSON has it, masked; undefined if it is none or too long: then its text is all. */
  readonly detail?: unknown
  /** Whole messages, for the message log alone. */
  readonly messages: readonly LogText[]
}

export interface LogText {
  readonly title: string
  readonly text: string
}

export type LogName = 'message' | 'error'

/** The log of an observation at this level: usually none, decided quickly. */
export function findLogs(observation: Observation, level: number): readonly LogName[] {
  if (observation.kind !== 'answered') {
    if (level < levelOf(observation.kind, observation.level)) return nowhere
    return isGrave(observation.level) ? errorLog : messageLog
  }
  const { refusal, transaction } = observation
  const isLogged = level >= (transaction.operation && transaction.operation.logDetail !== 'none' ? 3 : 4)
  if (!refusal) return isLogged ? messageLog : nowhere
  if (level < refusalLevels[severityOf(refusal.code)]) return nowhere
  return isLogged ? bothLogs : errorLog
}

export function writeEntry(observation: Observation, level: number, time: number, masking = maskings.known): LogEntry {
  if (observation.kind === 'answered') return writeCall(observation, level, masking)
  const { message, detail, error } = observation
  // Messages from outside calls contain no values of callers; only unexpected errors may.
  const shown = observation.kind === 'event' && observation.level !== 'exception' ? maskings.known : masking
  const transaction = observation.kind === 'event' ? undefined : observation.transaction
  // Without an operation it is the gateway's note, of an address and a status: no handler has run.
  const details = transaction?.operation || transaction?.job !== undefined ? masking : maskings.known
  const written = writeDetail(detail, transaction && ((json) => details.detail(json, readableOf(transaction))))
  return {
    time,
    severity: observation.level,
    message: showLine(shown.reason(message, error), 2000),
    facts: {
      ...(observation.kind === 'event' ? { event: line(observation.name, 80) } : {}),
      ...(observation.kind === 'job' ? factsOfRun(observation) : {}),
      ...(transaction ? factsOf(transaction) : {}),
    },
    texts: [...written.texts, ...writeError(error, shown)],
    ...(written.value !== undefined && { detail: written.value }),
    messages: [],
  }
}

const nowhere: readonly LogName[] = []
const messageLog: readonly LogName[] = ['message']
const errorLog: readonly LogName[] = ['error']
const bothLogs: readonly LogName[] = ['error', 'message']

/** The lowest `ig.log.level` that writes it; `logLevels` describes the same in words. */
function levelOf(kind: 'note' | 'event' | 'job', severity: LogLevel): number {
  return {
    exception: -1,
    error: kind === 'note' ? 2 : 1,
    warning: 2,
    information: kind === 'note' ? 4 : 3,
    debug: 5,
  }[severity]
}

const refusalLevels = { exception: -1, error: 1, warning: 2 } as const

export function severityOf(code: RefusalCode): 'exception' | 'error' | 'warning' {
  const row: RefusalRow = refusalTable[code]
  return row.severity ?? 'warning'
}

function isGrave(severity: LogLevel): boolean {
  return severity === 'exception' || severity === 'error' || severity === 'warning'
}

function writeCall(observation: AnsweredCall, level: number, masking: Masking): LogEntry {
  const { transaction } = observation
  const record = recordCall(observation)
  const { ended, method, status, refusal, streamed, trial, isCached, replay, remoteAddress, proxy } = record
  const url = showLine(masking.url(record.url, record), 2000)
  return {
    time: ended,
    severity: refusal ? severityOf(refusal.code) : 'information',
    message: refusal
      ? showLine(masking.refusal(refusal), 4000)
      : `${line(method, 20)} ${url} answered ${status}${streamed ? `: ${describeStream(streamed)}` : ''}`,
    facts: {
      method: line(method, 20),
      url,
      status,
      ...(refusal ? { refusal: refusal.code } : {}),
      ...factsOf(transaction),
      ...(isCached ? { cached: 'yes' } : {}),
      ...(replay ? { replay } : {}),
      ...(trial === undefined ? {} : { trial: showLine(trial, 200) }),
      ...(streamed ? { bytes: streamed.bytes } : {}),
      durationMs: durationOf(record),
      remoteAddress: line(remoteAddress, 60),
      ...(proxy === undefined ? {} : { proxy: line(proxy, 60) }),
    },
    texts: refusal ? writeError(refusal.cause, masking) : [],
    messages: writeMessages(observation, level, masking),
  }
}

function factsOfRun({ outcome, attempt, ended, transaction }: JobRun): Record<string, string | number> {
  return { event: 'jobEnded', outcome, attempt, durationMs: durationOf({ begun: transaction.begun, ended }) }
}

/** One that did not fail. */
export function describeStream({ bytes, isWhole }: StreamEnd): string {
  return isWhole ? `${bytes} bytes streamed` : `the client left after ${bytes} bytes were streamed`
}

function factsOf({
  id,
  job,
  operation,
  operator,
  revision,
  ecid,
  parent,
  trace,
}: Transaction): Record<string, string | number> {
  return {
    ...(job === undefined ? {} : { job }),
    ...(operation ? { operation: operation.id } : {}),
    ...(operator ? { operator: line(operator.id, 30) } : {}),
    transactionId: id,
    ...(parent || trace ? { traceId: ecid } : {}),
    ...(revision === undefined ? {} : { revision }),
  }
}

interface WrittenDetail {
  readonly texts: readonly LogText[]
  readonly value?: unknown
}

/** Characters. */
const maxDetail = 16_000

/** A handler may attach any value to its notes, of any size: it is cut before it is searched for secrets. */
function writeDetail(detail: unknown, mask = redactText): WrittenDetail {
  if (detail === undefined) return { texts: [] }
  const plain = (name: string, value: unknown) => {
    if (isSecretName(name)) return '[redacted]'
    if (typeof value === 'string') return cutText(value)
    return typeof value === 'bigint' ? String(value) : value
  }
  try {
    const json = JSON.stringify(detail, plain, 2) ?? ''
    const text = mask(cutText(json, maxDetail))
    const value = json.length > maxDetail ? undefined : readMasked(text)
    return { texts: [{ title: 'Detail', text: showLines(text, maxDetail) }], value }
  } catch {
    return { texts: [{ title: 'Detail', text: '(cannot be written as JSON)' }] }
  }
}

/** Masked values have no quotation marks. @returns undefined for a text that is no JSON any more */
function readMasked(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^( *(?:"(?:[^"\\]|\\.)*": )?)\[redacted\](,?)$/gm, '$1"[redacted]"$2'))
  } catch {
    return undefined
  }
}

/** Stacks only: other properties of an error may contain values of a statement. */
function writeError(error: unknown, masking: Masking): LogText[] {
  if (error === undefined) return []
  const stacks: string[] = []
  for (let cause: unknown = error; cause !== undefined && stacks.length < 6; cause = (cause as Error).cause) {
    if (!(cause instanceof Error)) {
      const text = textOf(cause)
      stacks.push(masking.reason(text, new Error(text)))
      break
    }
    stacks.push(masking.stack(cause))
  }
  return [{ title: 'Stack', text: showLines(stacks.join('\ncaused by: '), 16_000) }]
}

/** Some objects cannot be converted to a string. */
function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    return Object.prototype.toString.call(value)
  }
}

function writeMessages(
  { call, transaction, reply, streamed }: AnsweredCall,
  level: number,
  masking: Masking,
): LogText[] {
  const { operation } = transaction
  const hasBodies = level >= 5 || (level >= 3 && operation?.logDetail === 'headerAndDetail')
  if (!hasBodies && (level < 3 || (operation?.logDetail ?? 'none') === 'none')) return []
  const record = readableOf(transaction)
  const writeHeader = ([name, value]: readonly [string, string]) => `${name}: ${masking.header(name, value, record)}`
  const showPart = (bytes: Buffer | undefined, size: number) =>
    showBody(bytes, size, loggedBodyBytes, (text) => masking.body(text, record))
  const request = [`${call.method} ${masking.url(call.target, record)}`, ...listRequestHeaders(call).map(writeHeader)]
  const response = [String(reply.status), ...listHeaders(reply).map(writeHeader)]
  if (hasBodies) {
    request.push('', showPart(transaction.message?.loggedBody, Number(call.headers['content-length'])))
    const { bytes, file } = reply.body
    const aside = streamed ? `(${streamed.bytes} bytes of a stream)` : file && `(${file.size} bytes of a file)`
    response.push('', aside ?? showPart(bytes, bytes.length))
  }
  return [
    { title: 'Request', text: showLines(request.join('\n').trimEnd(), 2 * loggedBodyBytes) },
    { title: 'Response', text: showLines(response.join('\n').trimEnd(), 2 * loggedBodyBytes) },
  ]
}

function line(text: string, maxLength: number): string {
  return text.length <= maxLength && plain.test(text) ? text : showLine(redactText(text), maxLength)
}

/** A method, an address, an id: too short for a secret with a form of its own, and without a name for one. */
const plain = /^(?:\w{1,18}|[\da-f.:]{1,45})$/
