/** Turns a refusal into its reply from the table of refusals (specification 4). */
import { boundThrown, isError } from '../base/bound-error.ts'
import { escapeHtml } from '../base/escape.ts'
import { STATUS_CODES } from '../base/node-http.ts'
import { parseQualities } from '../base/quality.ts'
import { addDeprecation } from '../model/announce-deprecation.ts'
import { bodyOf, type Call, emptyBody, type Reply, type ReplyBody } from '../model/call.ts'
import { splitVersion } from '../model/operation-name.ts'
import {
  type BodyError,
  Refusal,
  type RefusalFacts,
  type RefusalForm,
  type RefusalRow,
  refusalTable,
} from '../model/refusal.ts'
import type { Transaction } from '../model/transaction.ts'
import type { Settings } from '../settings.ts'
import { addOrigin, commonHeaderLines, endCall, type ReplyParts } from './build-reply.ts'

export interface RefusalParts extends ReplyParts {
  readonly settings: ReplyParts['settings'] & Pick<Settings, 'errorStyle' | 'serviceSystemStatus' | 'jsonInvalidStatus'>
}

/** Any other error is a bug of the gateway: the caller gets the transaction id, the log the cause. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const cause = boundThrown(error)
  return new Refusal('unexpected', isError(cause) ? cause.message : String(cause), { cause })
}

export function buildRefusal(refusal: Refusal, call: Call, transaction: Transaction, gateway: RefusalParts): Reply {
  const { settings } = gateway
  const row: RefusalRow = refusalTable[refusal.code]
  const form: RefusalForm = row[transaction.operation?.errorStyle ?? settings.errorStyle]
  const facts: RefusalFacts = {
    platform: settings.platformName,
    operatorId: transaction.operator?.id ?? '',
    operation: nameOf(transaction, call),
    service: transaction.target?.service ?? '',
    retryAfter: refusal.retryAfter ?? 1,
  }
  const allow = form.statusWithAllow && refusal.allow?.length ? refusal.allow : undefined
  const stated = form.statusSetting ? settings[form.statusSetting] : form.status
  const status = (allow && form.statusWithAllow) ?? stated
  const detail = refusal.detail ?? row.detail(facts)
  const development = settings.serviceSystemStatus === 'development' ? refusal.development : undefined
  const { code, errors } = refusal
  const content = writeContent(form, { status, detail, code, id: transaction.id, development, errors }, call)
  const headers = [
    ...content.headers,
    ...(row.headers?.(facts) ?? []),
    ...(allow ? ['allow', allow.join(', ')] : []),
    ...(row.omitsCodeHeader ? [] : ['ig-refusal', refusal.code]),
  ]
  addOrigin(headers, call, transaction, gateway)
  addDeprecation(headers, transaction)
  const reply = { status, headers, common: commonHeaderLines(transaction, gateway, refusal), body: content.body }
  endCall({ kind: 'answered', call, transaction, reply, refusal, ended: gateway.now() }, gateway)
  return reply
}

/** The operation's name; for a call that is passed on for a node, as in its URL. */
function nameOf({ operation, target }: Transaction, { method }: Call): string {
  return operation?.ofNode !== undefined && target?.kind === 'operation'
    ? `${splitVersion(target.service).name}_${method}`
    : (operation?.fullName ?? '')
}

interface Content {
  readonly headers: readonly string[]
  readonly body: ReplyBody
}

interface ProblemFacts {
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly id: string
  readonly development: string | undefined
  readonly errors: readonly BodyError[] | undefined
}

function writeContent({ body, messageNumber }: RefusalForm, facts: ProblemFacts, call: Call): Content {
  if (body === 'empty') return { headers: [], body: emptyBody }
  if (body === 'page') {
    const sentence = messageNumber === undefined ? facts.detail : `${facts.detail} ${messageNumber}`
    return text('text/html; charset=UTF-8', writePage(sentence))
  }
  const members = problemMembers(facts)
  const isXml = prefersXml(call.headers.accept)
  const { headers, body: bytes } = isXml
    ? text('application/problem+xml', writeProblemXml(members))
    : text('application/problem+json', JSON.stringify(members))
  return { headers: [...headers, 'vary', 'accept'], body: bytes }
}

function text(contentType: string, content: string): Content {
  return { headers: ['content-type', contentType], body: bodyOf(content) }
}

/** On one line, whatever the URL contains. */
function writePage(sentence: string): string {
  const text = escapeMarkup(sentence).replace(/[\r\n]/g, (character) => (character === '\n' ? '&#10;' : '&#13;'))
  return `<HTML><HEAD><TITLE>RESTListeningConnector</TITLE></HEAD><BODY>${text}</BODY></HTML>`
}

/** RFC 9457. For `about:blank` the title is the phrase of the status. */
function problemMembers({ status, detail, code, id, development, errors }: ProblemFacts) {
  const members = { type: 'about:blank', title: STATUS_CODES[status] ?? '', status, detail, code, transactionId: id }
  return { ...members, ...(errors && { errors }), ...(development !== undefined && { development }) }
}

/** RFC 9457, appendix B; the namespace is still that of RFC 7807. */
function writeProblemXml(members: Readonly<Record<string, unknown>>): string {
  return `<?xml version="1.0"?><problem xmlns="urn:ietf:rfc:7807">${writeElements(Object.entries(members))}</problem>`
}

function writeElements(entries: readonly (readonly [name: string, value: unknown])[]): string {
  return entries.map(([name, value]) => `<${name}>${writeMember(value)}</${name}>`).join('')
}

function writeMember(value: unknown): string {
  if (Array.isArray(value)) return writeElements(value.map((item) => ['i', item]))
  return typeof value === 'object' && value ? writeElements(Object.entries(value)) : escapeMarkup(String(value))
}

/** XML only where `Accept` gives it a higher q than both JSON and any type at all. */
function prefersXml(accept: string | string[] | undefined): boolean {
  if (typeof accept !== 'string' || !accept.toLowerCase().includes('xml')) return false
  const qualities = parseQualities(accept)
  const best = (...types: string[]) => Math.max(...types.map((type) => qualities.get(type) ?? 0))
  const xml = best('application/problem+xml', 'application/xml', 'text/xml')
  return xml > best('application/problem+json', 'application/json', 'application/*') && xml > best('*/*', '*')
}

/** Replaces characters that XML cannot carry with U+FFFD. */
function escapeMarkup(value: string): string {
  const escaped = escapeHtml(value.toWellFormed()).replaceAll("'", '&#39;')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return escaped.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
}
