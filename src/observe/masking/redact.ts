/**
 * Removes secrets from log texts: those with a form of their own, and values with a secret's name in JSON, XML, YAML, a
 * form or a query, however nested (specification 8.7). Truncated text is redacted to its end.
 */

import { hideKnownSecrets } from '../../model/known-secrets.ts'
import {
  hideCredentials,
  isSecretHeader,
  isSecretName,
  isSecretParameter,
  mayHaveSecret,
  unescapeNames,
} from '../../model/secret-name.ts'
import { maskNameValuePairs } from './mask-name-value-pairs.ts'
import { type MaskingRules, masked, maskStructures } from './mask-structures.ts'
import { endOfString, findMark } from './read-structures.ts'

export function redactText(text: string): string {
  return redact(text, 0)
}

/** In a sentence: text that begins with one pair is no form, and the value ends at white space. */
export function redactProse(text: string): string {
  return redact(text, 0, !text.includes('&'))
}

/** The displayed value of a header: of credentials only the scheme. */
export function redactHeader(name: string, value: string): string {
  if (!isSecretHeader(name)) return redactText(value)
  const scheme = /^(Basic|Bearer|Digest|Negotiate) /i.exec(value)?.[1]
  return scheme === undefined ? masked : `${scheme} ${masked}`
}

/** Maximum nesting of texts in texts: deeper ones are masked. */
const deepest = 6

function redact(text: string, depth: number, isProse = false): string {
  let clean = hideCredentials(hideKnownSecrets(text))
  for (const [pattern, replacement] of knownForms) clean = clean.replace(pattern, replacement)
  const within = (inner: string) => redact(inner, depth + 1)
  if (!mayHaveSecret(clean)) return depth === deepest ? clean : redactEncoded(clean, within)
  if (depth === deepest) return masked
  const rules: MaskingRules = {
    isSecret: isSecretName,
    show: (_name, value) => within(value),
    showRemark: (remark) => (mayHaveSecret(remark) ? ` ${masked} ` : remark),
    showProse: (prose) => prose,
  }
  clean = redactEncoded(maskStructures(isProse ? clean : redactForm(clean), rules), within)
  return members.reduce(redactMembers, maskNameValuePairs(clean, isSecretName))
}

/** For a text that is a form as a whole: values of unencoded ones contain characters that end them elsewhere. */
function redactForm(text: string): string {
  if (!/^[\w.~%[\]+-]{1,200}=/.test(text) || /[\r\n]/.test(text.trimEnd())) return text
  const pairs = text.split('&').map((pair) => {
    const [named = '', name = ''] = /^([\w.~%[\]+ -]{1,200})=/.exec(pair) ?? []
    if (!isSecretParameter(unescapeNames(name))) return pair
    const end = endAt(/;?\s(?=[\w.-]{1,200}=)|\s*$/g, pair, named.length) // cookies: several pairs on a line
    return end > named.length ? `${named}${masked}${pair.slice(end)}` : pair
  })
  return pairs.join('&')
}

/** A value of a query or a form that is itself a structured text. */
function redactEncoded(text: string, within: (text: string) => string): string {
  return text.replace(/[\w.~!*'()+%-]{6,}/g, (run) => {
    if (!/%(?:25)*(?:7b|5b|22|3c|3d|3a|0a|26)/i.test(run)) return run
    const decoded = unescapeNames(run.replaceAll('+', ' ')) // also for a truncated escape
    return within(decoded) === decoded ? run : masked
  })
}

/** Secrets that their own form reveals, whatever their name. */
const knownForms: readonly (readonly [RegExp, string])[] = [
  [/\$argon2[^\s"'<>]*/g, masked],
  [/(\b[a-z][a-z0-9+.-]{0,20}:\\?\/\\?\/[^\s:/?#@]{0,256}):[^\s"'<>]{1,512}@/gi, `$1:${masked}@`],
  // The long SOAPAction of the original: operation, node, password of the node, node
  [/(\bhttps?:\/\/(?:www\.)?peoplesoft\.com(?::\d*)?\/[^\s/]*\/[^\s/]*)\/[^\r\n/"<>]+(?=\/)/gi, `$1/${masked}`],
]

interface Member {
  /** Finds a name, group 1, up to the start of its value. */
  readonly pattern: RegExp
  readonly isSecret?: (name: string) => boolean
  /** The end of the value that begins at `start`. */
  readonly endOf: (text: string, start: number, name: string) => number
}

/** In texts that are neither JSON nor XML as a whole. */
const members: readonly Member[] = [
  {
    pattern: /-----BEGIN[ +%]([\w +%]{0,80})-----/g,
    isSecret: () => true,
    endOf: (text, at) => findMark(text, '-----END', at),
  },
  { pattern: /["']((?:[^"'\\]|\\[^"']){0,200})\\{0,20}["']\s*:\s*/g, endOf: endOfJson },
  {
    pattern: /(?:^|[?&;#]|u0026|\s(?=[\w.%[\]+-]{1,200}=[^\s&]{0,2000}&))([\w.%[\]+-]{1,200})=/g,
    isSecret: isSecretParameter,
    endOf: (text, at) => endAt(/[&\s"<>]/g, text, at),
  },
  {
    // After a quotation mark also after a colon: a GraphQL request
    pattern: /(?<![\w.%[\]+-])([\w.%[\]+-]{1,200})["']?\s{0,20}(?:=>?|:(?=\s{0,20}\\{0,20}["']))\s{0,20}/g,
    endOf: endOfPair,
  },
  {
    pattern: /(?<![\w-])((?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]{1,100}):[ \t]*/gi,
    isSecret: isSecretHeader,
    endOf: endOfHeader,
  },
  { pattern: /\bKey \(([^()\n]{1,300})\)=\(/g, endOf: (text, at) => endAt(/\) |\n/g, text, at) }, // of PostgreSQL
  { pattern: /^[ \t]{0,200}(?:-[ \t]{1,20}){0,3}'?([\w.][\w.-]{0,200})'?[ \t]{0,20}:(?=\s)[ \t]*/gm, endOf: endOfYaml },
  {
    // The head of a part, of a few lines: keeps hostile text linear
    pattern: /^content-disposition:((?:[^\n]{0,500}[^\r\n]\r?\n){1,8})\r?\n/gim,
    isSecret: namesSecretPart,
    endOf: (text, at) => findMark(text, '\n--', at),
  },
]

/** Names are matched whole and then checked: one pattern for both would take quadratic time on hostile text. */
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

function namesSecretPart(head: string): boolean {
  const names = [...head.matchAll(/\bname\*?\s*=\s*(?:"([^"\n]*)|'([^'\n]*)'|([^\s;]*))/gi)]
  return names.some(([, double, single, bare]) => isSecretParameter(double ?? single ?? bare ?? ''))
}

/** The line, or up to the quotation mark that encloses the header. */
function endOfHeader(text: string, start: number, name: string): number {
  const before = text[text.lastIndexOf(name, start - name.length - 1) - 1]
  return before === '"' || before === "'"
    ? endAt(before === '"' ? /["\n]/g : /['\n]/g, text, start)
    : findMark(text, '\n', start)
}

/** The line, and the lines below it that are indented further, and the items of a list. */
function endOfYaml(text: string, start: number, name: string): number {
  const key = text.lastIndexOf(name, start - name.length - 1) // unless the value is equal
  const column = key - text.lastIndexOf('\n', key) - (/["']/.test(text[key - 1] ?? '') ? 2 : 1)
  let end = findMark(text, '\n', start)
  while (end < text.length) {
    const indent = /[ \t]*/y
    indent.lastIndex = end + 1
    const depth = indent.exec(text)?.[0].length ?? 0
    const [first = '', second = ''] = text.slice(end + 1 + depth, end + 3 + depth)
    const isItem = depth === column && first === '-' && /\s/.test(second)
    if (depth <= column && !isItem && !/[\r\n]/.test(first)) break
    end = findMark(text, '\n', end + 1 + depth)
  }
  return end
}

/** A string, or a whole object or array; otherwise the line. */
function endOfJson(text: string, start: number, name: string): number {
  const escaped = endOfEscaped(text, start)
  if (escaped !== undefined) return escaped
  if (/[|>]/.test(text[start] ?? '')) return endOfYaml(text, start, name)
  if (!/["'{[]/.test(text[start] ?? '')) return endAt(/[,}\]\n]/g, text, start)
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '"' || character === "'") at = endOfString(text, at) - 1
    else if ('{['.includes(character)) depth++
    else if ('}]'.includes(character)) depth--
    if (depth === 0) return at + 1
  }
  return text.length
}

/** For a string in a string. */
function endOfEscaped(text: string, start: number): number | undefined {
  const quote = /\\{1,20}["']/y
  quote.lastIndex = start
  const [mark] = quote.exec(text) ?? []
  return mark === undefined ? undefined : Math.min(text.length, findMark(text, mark, start + mark.length) + mark.length)
}

/** `name=value`, `name="value"`: forms, queries, attributes. */
function endOfPair(text: string, start: number): number {
  const quote = text[start]
  if (quote === '"' || quote === "'") return endOfString(text, start)
  return endOfEscaped(text, start) ?? endAt(/[&;,\s"<>]/g, text, start)
}

function endAt(stop: RegExp, text: string, start: number): number {
  stop.lastIndex = start
  return stop.exec(text)?.index ?? text.length
}
