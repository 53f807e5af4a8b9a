/**
 * The displayable parts of a call (specification 8.7, 8.11): all but known secrets, or only what the configuration
 * names. All output about calls uses one of the two.
 */

import type { ReadableParts } from '../../model/call-record.ts'
import type { Refusal } from '../../model/refusal.ts'
import { unescapeNames } from '../../model/secret-name.ts'
import { connector } from '../../model/uri/target.ts'
import type { LogSettings } from '../../settings.ts'
import { masked, maskStructures } from './mask-structures.ts'
import { redactHeader, redactProse, redactText } from './redact.ts'

export interface Masking {
  readonly url: (target: string, call: ReadableParts) => string
  readonly header: (name: string, value: string, call: ReadableParts) => string
  readonly body: (text: string, call: ReadableParts) => string
  readonly refusal: (refusal: Refusal) => string
  /** Of a note; the messages of `error` and its causes are not the gateway's own. */
  readonly reason: (text: string, error: unknown) => string
  /** JSON that a handler added to a note. */
  readonly detail: (json: string, call: ReadableParts) => string
  readonly stack: (error: Error) => string
}

const strict: Masking = {
  url(target, call) {
    const [path = '', ...query] = target.replace(/^[^/?]*:\/\/[^/?]*/, '').split('?') // without an authority
    const shown = call.templateIndex === undefined ? maskPath(path, call) : path // all of it is literal or bound
    return redactText(query.length === 0 ? shown : `${shown}?${maskPairs(query.join('?'), parametersOf(call))}`)
  },
  header: (name, value, call) => (fieldsOf(call).has(name.toLowerCase()) ? redactHeader(name, value) : masked),
  body: (text, call) => maskBody(text, fieldsOf(call)),
  reason: (text, error) =>
    redactProse(withoutMessages(text, error).replace(/"(?:[^"\\]|\\.){0,10000}"?/g, `"${masked}"`)),
  refusal: (refusal) =>
    refusal.isOfHandler || refusal.errors
      ? `refused by the handler: ${masked}`
      : strict.reason(refusal.message, refusal.cause),
  detail: (json, call) => maskBody(json, fieldsOf(call)),
  stack({ name, message, stack = '' }) {
    const messageAt = stack.indexOf(message) // a line of a message may look like one of the stack
    const frames = stack.slice(Math.max(0, messageAt) + message.length).split('\n')
    return [`${isClass(name) ? name : 'Error'}: ${masked}`, ...frames.filter(isFrame)].join('\n')
  },
}

export const maskings: Readonly<Record<LogSettings['masking'], Masking>> = {
  known: {
    url: redactText,
    header: redactHeader,
    body: redactText,
    reason: redactProse,
    refusal: ({ message }) => redactProse(message),
    detail: redactText,
    stack: (error) => redactText(error.stack ?? String(error)),
  },
  strict,
}

/** The parts that the gateway understood: its own segments, the node, the operation. */
function maskPath(path: string, { operation, hasTarget }: ReadableParts): string {
  const segments = path.split('/')
  const at = segments.findIndex((segment) => segment === connector || segment === operation?.segment)
  const readable = hasTarget && at > 0 ? at + (operation ? 3 : 2) : 1
  return segments.length <= readable && path.startsWith('/') ? path : [...segments.slice(0, readable), masked].join('/')
}

function parametersOf(call: ReadableParts): ReadonlySet<string> {
  const template = call.operation?.templates.find(({ index }) => index === call.templateIndex)
  return new Set([...(template?.query.map(({ name }) => name.toLowerCase()) ?? []), ...fieldsOf(call)])
}

function fieldsOf({ operation }: ReadableParts): ReadonlySet<string> {
  return new Set(operation?.logFields?.map((name) => name.toLowerCase()))
}

/** Names are structure, and stay. */
function maskPairs(text: string, readable: ReadonlySet<string>): string {
  const pairs = text.split('&').map((pair) => {
    const at = pair.indexOf('=')
    if (at < 0) return pair === '' ? '' : masked
    const name = pair.slice(0, at)
    return readable.has(unescapeNames(name).toLowerCase()) ? pair : `${name}=${masked}`
  })
  return pairs.join('&')
}

function maskBody(text: string, readable: ReadonlySet<string>): string {
  if (/^[\w.%[\]+-]{1,200}=[^\s<{]*$/.test(text)) return redactText(maskPairs(text, readable))
  const isReadable = (name: string) => readable.has(name.replace(/^.*:/, '').toLowerCase())
  const shown = maskStructures(text, {
    isSecret: () => false,
    show: (name, value) => (isReadable(name) ? redactText(value) : masked),
    showRemark: () => ` ${masked} `,
    showProse: () => undefined,
  })
  return redactText(shown)
}

function withoutMessages(text: string, error: unknown): string {
  let shown = text
  let cause = error
  for (let depth = 0; cause instanceof Error && depth < 6; cause = cause.cause, depth++)
    for (const part of isClass(cause.name) ? [cause.message] : [cause.message, cause.name])
      shown = withoutPart(shown, part)
  return shown
}

/** As separate words: a message of one letter is not masked in every word. */
function withoutPart(text: string, part: string): string {
  if (part === '') return text
  const isWithin = (one = '', other = '') => /^[\p{L}\p{N}]{2}$/u.test(one + other)
  return text.replaceAll(part, (found, at: number) => {
    return isWithin(text[at - 1], part[0]) || isWithin(part.at(-1), text[at + part.length]) ? found : masked
  })
}

/** Whether this may be the class of an error: the name of an error can be set to any value. */
function isClass(name: string): boolean {
  return /^[a-z][\w$.]{0,60}$/i.test(name)
}

function isFrame(line: string): boolean {
  return /^\s{4}at /.test(line)
}
