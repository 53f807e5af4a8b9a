/**
 * Takes the secrets out of what goes into a log: what shows by its own form, and what is named like a secret in JSON, XML,
 * YAML, a form or a query, as deep as they are in one another (specification 8.7). A text that was cut off is redacted to
 * its end.
 */

import { isSecretHeader, isSecretName, isSecretParameter, mayHaveSecret, unescapeNames } from '../model/secret-name.ts'
import { type MaskingRules, masked, maskStructures } from './mask-structures.ts'

export function redactText(text: string): string {
  return redact(text, 0)
}

/** A header's value as it may be shown: of credentials only their scheme. */
export function redactHeader(name: string, value: string): string {
  if (!isSecretHeader(name)) return redactText(value)
  const scheme = /^(Basic|Bearer|Digest|Negotiate) /i.exec(value)?.[1]
  return scheme === undefined ? masked : `${scheme} ${masked}`
}

/** A text in a text in a text: what has more of them is masked. */
const deepest = 6

function redact(text: string, depth: number): string {
  let clean = text
  for (const [pattern, replacement] of tellTale) clean = clean.replace(pattern, replacement)
  if (!mayHaveSecret(clean)) return clean
  if (depth === deepest) return masked
  const within = (inner: string) => redact(inner, depth + 1)
  const rules: MaskingRules = {
    isSecret: isSecretName,
    show: (_name, value) => within(value),
    showRemark: (remark) => (mayHaveSecret(remark) ? ` ${masked} ` : remark),
    showsProse: true,
  }
  clean = redactEncoded(maskStructures(clean, rules), within)
  return members.reduce(redactMembers, clean)
}

/** A value of a query or a form that is a text of its own. */
function redactEncoded(text: string, within: (text: string) => string): string {
  return text.replace(/[\w.~!*'()+-]{0,200}%[\w.~!*'()+%-]{5,}/g, (run) => {
    if (!/%(?:7b|5b|22|3c|3d|3a|0a|26)/i.test(run)) return run
    const decoded = unescapeNames(run.replaceAll('+', ' ')) // also where an escape is cut off
    return within(decoded) === decoded ? run : masked
  })
}

/** Secrets that show by their own form, whatever they are called. */
const tellTale: readonly (readonly [RegExp, string])[] = [
  [/\beyJ[\w-]{16,}(?:\.[\w-]*){0,4}/g, masked], // a JSON Web Token
  [/\$argon2[^\s"'<>]*/g, masked],
  [/\b([Bb]asic|[Bb]earer)(\s+|%20|\+)(?=\S{0,2000}(?:[\d=]|[a-z][A-Z]))[\w.~+/=%-]{4,}/g, `$1$2${masked}`], // and not "Basic authentication"
  [/(\b[a-z][a-z0-9+.-]{0,20}:\\?\/\\?\/[^\s:/?#@]{0,256}):[^\s"'<>]{1,512}@/gi, `$1:${masked}@`],
]

interface Member {
  /** Finds a name, group 1, up to where its value begins. */
  readonly pattern: RegExp
  readonly isSecret?: (name: string) => boolean
  /** Where the value that begins at `start` ends. */
  readonly endOf: (text: string, start: number, name: string) => number
}

/** In texts that are neither JSON nor XML as a whole. */
const members: readonly Member[] = [
  {
    pattern: /-----BEGIN[ +%]([\w +%]{0,80})-----/g,
    isSecret: () => true,
    endOf: (text, at) => find(text, '-----END', at),
  },
  { pattern: /["']((?:[^"'\\]|\\[^"']){0,200})\\{0,20}["']\s*:\s*/g, endOf: endOfJson },
  {
    pattern: /(?:^|[?&;]|u0026|\s(?=[\w.%[\]+-]{1,200}=[^\s&]{0,2000}&))([\w.%[\]+-]{1,200})=/g,
    isSecret: isSecretParameter,
    endOf: (text, at) => endAt(/[&\s"<>]/g, text, at),
  },
  { pattern: /(?<![\w.%[\]+-])([\w.%[\]+-]{1,200})\s{0,20}=\s{0,20}/g, endOf: endOfPair },
  {
    pattern: /^((?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]{1,100}):[ \t]*/gim,
    isSecret: isSecretHeader,
    endOf: (text, at) => find(text, '\n', at),
  },
  { pattern: /^[ \t]{0,200}(?:-[ \t]{1,20}){0,3}'?([\w.][\w.-]{0,200})'?[ \t]{0,20}:(?=\s)[ \t]*/gm, endOf: endOfYaml },
  {
    // The head of a part: of each line one place only may be the name, so that hostile text takes linear time
    pattern:
      /^content-disposition:(?:(?!\bname=)[^\n]){0,500}\bname="?(?=([^"\s;]{0,200}))\1[^\n]{0,500}\n(?:[^\r\n][^\n]{0,500}\n){0,5}\r?\n/gim,
    endOf: (text, at) => find(text, '\n--', at),
  },
]

/** Names are matched whole and then judged: one pattern for both would take quadratic time on hostile text. */
function redactMembers(text: string, { pattern, isSecret = isSecretName, endOf }: Member): string {
  let result = ''
  let done = 0
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [whole, name = ''] = match
    if (!isSecret(unescapeNames(name))) continue
    const start = match.index + whole.length
    const end = endOf(text, start, name)
    if (end <= start) continue
    result += text.slice(done, start) + masked
    done = end
    pattern.lastIndex = end
  }
  return result + text.slice(done)
}

function find(text: string, mark: string, from: number): number {
  const index = text.indexOf(mark, from)
  return index < 0 ? text.length : index
}

/** The line, and below it those that are indented further, and the items of a list. */
function endOfYaml(text: string, start: number, name: string): number {
  const key = text.lastIndexOf(name, start - name.length - 1) // and not where the value says the same
  const column = key - text.lastIndexOf('\n', key) - (text[key - 1] === "'" ? 2 : 1)
  let end = find(text, '\n', start)
  while (end < text.length) {
    const indent = /[ \t]*/y
    indent.lastIndex = end + 1
    const depth = indent.exec(text)?.[0].length ?? 0
    const [first = '', second = ''] = text.slice(end + 1 + depth, end + 3 + depth)
    const isItem = depth === column && first === '-' && /\s/.test(second)
    if (depth <= column && !isItem && !/[\r\n]/.test(first)) break
    end = find(text, '\n', end + 1 + depth)
  }
  return end
}

/** A string, or all of an object or array; of what is none of them the line. */
function endOfJson(text: string, start: number): number {
  const quote = /\\{1,20}["']/y // of a string in a string
  quote.lastIndex = start
  const [escaped] = quote.exec(text) ?? []
  if (escaped !== undefined) return Math.min(text.length, find(text, escaped, start + escaped.length) + escaped.length)
  if (!/["'{[]/.test(text[start] ?? '')) return endAt(/[,}\]\n]/g, text, start)
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '"' || character === "'") at = endOfString(text, at)
    else if ('{['.includes(character)) depth++
    else if ('}]'.includes(character)) depth--
    if (depth === 0) return at + 1
  }
  return text.length
}

/** @returns the index of the closing quotation mark */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === text[start]) return at
  }
  return text.length
}

/** `name=value`, `name="value"`: forms, queries, attributes. */
function endOfPair(text: string, start: number): number {
  const quote = text[start]
  if (quote === '"' || quote === "'") return Math.min(text.length, endOfString(text, start) + 1)
  return endAt(/[&;,\s"<>]/g, text, start)
}

function endAt(stop: RegExp, text: string, start: number): number {
  stop.lastIndex = start
  return stop.exec(text)?.index ?? text.length
}
