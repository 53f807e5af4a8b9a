/**
 * Takes the secrets out of what goes into a log: credentials, cookies, tokens, and whatever is named like a password
 * in XML, JSON, a form or a query (specification 8.7). A text that was cut off is redacted to its end.
 */

const redacted = '[redacted]'

export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

const secretName =
  /passw|passphrase|passcode|pwd|secret|token|credential|authoriz|cookie|assertion|session[-_]?id|(?:api|private|access|subscription)[-_]?key|(?:^|[-_.:[])(?:auth|pass|otp|pin|jwt|sid)(?:\]|\[\w*\])*$/i
/** In a whole text a name begins and ends anywhere. */
const hint = new RegExp(
  secretName.source.replace(/\(\?:\^.*$/, 'auth|pass|(?<![a-z])(?:otp|pin|jwt|sid)(?![a-z])'),
  'i',
)

export function redactText(text: string): string {
  let clean = text
  for (const [pattern, replacement] of tellTale) clean = clean.replace(pattern, replacement)
  if (!hint.test(unescapeName(clean))) return clean
  return members.reduce((result, { pattern, endOf }) => redactMembers(result, pattern, endOf), clean)
}

/** A header's value as it may be shown: of credentials only their scheme. */
export function redactHeader(name: string, value: string): string {
  if (!isSecretName(name)) return redactText(value)
  const scheme = /^(Basic|Bearer|Digest|Negotiate) /i.exec(value)?.[1]
  return scheme === undefined ? redacted : `${scheme} ${redacted}`
}

/** Secrets that show by their own form, whatever they are called. */
const tellTale: readonly (readonly [RegExp, string])[] = [
  [/\beyJ[\w-]{16,}(?:\.[\w-]*){0,4}/g, redacted], // a JSON Web Token
  [/\$argon2[^\s"'<>]*/g, redacted],
  [/\b([Bb]asic|[Bb]earer)\s+(?=\S{0,2000}(?:[\d=]|[a-z][A-Z]))[\w.~+/=-]{4,}/g, `$1 ${redacted}`], // and not "Basic authentication"
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/?#@]{0,256}):[^\s"'<>]{1,512}@/gi, `$1:${redacted}@`],
]

interface Member {
  /** Finds a name, group 1, up to where its value begins. */
  readonly pattern: RegExp
  /** Where the value that begins at `start` ends. */
  readonly endOf: (text: string, start: number, name: string) => number
}

const members: readonly Member[] = [
  {
    pattern: /<([^\s<>/!?="'&][^\s<>/="'&]{0,200})(?:\s[^<>]*)?(?<!\/)>/g,
    endOf: endOfElement,
  },
  { pattern: /"((?:[^"\\]|\\.){0,200})"\s*:\s*/g, endOf: endOfJson },
  { pattern: /(?<![\w.%[\]+-])([\w.%[\]+-]{1,200})\s{0,20}=\s{0,20}/g, endOf: endOfPair },
  // A name that is a value itself: {"name":"password","value":"…"}, <field name="password" value="…"/>, <field name="password">…
  { pattern: /"(?:name|key)"\s*:\s*"((?:[^"\\]|\\.){0,200})"\s*,\s*"value"\s*:\s*/gi, endOf: endOfJson },
  { pattern: /\b(?:name|key)="([^"<>]{0,200})"\s{1,20}value=/gi, endOf: endOfPair },
  { pattern: /\b(?:name|key)="([^"<>]{0,200})"[^<>]{0,200}(?<!\/)>/gi, endOf: (text, at) => find(text, '<', at) },
  {
    pattern: /^((?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]{1,100}):[ \t]*/gim,
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
function redactMembers(text: string, pattern: RegExp, endOf: Member['endOf']): string {
  let result = ''
  let done = 0
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [whole, name = ''] = match
    if (!secretName.test(unescapeName(name))) continue
    const start = match.index + whole.length
    const end = endOf(text, start, name)
    if (end <= start) continue
    result += text.slice(done, start) + redacted
    done = end
    pattern.lastIndex = end
  }
  return result + text.slice(done)
}

/** As its reader will see it: a query and JSON may spell a name with escapes. */
function unescapeName(name: string): string {
  return name.replace(/%([\da-f]{2})|\\u([\da-f]{4})/gi, (_, byte, unit) => {
    return String.fromCharCode(Number.parseInt(byte ?? unit, 16))
  })
}

function find(text: string, mark: string, from: number): number {
  const index = text.indexOf(mark, from)
  return index < 0 ? text.length : index
}

/** Where its own end tag begins: elements of the same name may stand in it. */
function endOfElement(text: string, start: number, name: string): number {
  let depth = 1
  for (let at = text.indexOf(name, start); at >= 0; at = text.indexOf(name, at + name.length)) {
    const isOpening = text[at - 1] === '<'
    if (!isOpening && !text.startsWith('</', at - 2)) continue
    rest.lastIndex = at + name.length
    const [tag = ''] = rest.exec(text) ?? []
    if (tag !== '' && !/^[\s/]/.test(tag)) continue // a longer name
    if (isOpening) depth += tag.endsWith('/') ? 0 : 1
    else if (--depth === 0) return at - 2
  }
  return text.length
}

/** Of a tag; up to the next one where it has no end. */
const rest = /[^<>]*/y

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

/** A string, number or literal, or all of an object or array. */
function endOfJson(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '"') at = endOfString(text, at)
    else if ('{['.includes(character)) depth++
    else if ('}]'.includes(character)) depth--
    else if (depth > 0 || !/[\s,]/.test(character)) continue
    if (depth < 0 || (depth === 0 && /[\s,]/.test(character))) return at
    if (depth === 0) return at + 1
  }
  return text.length
}

/** @returns the index of the closing quotation mark */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return text.length
}

/** `name=value`, `name="value"`: forms, queries, attributes. */
function endOfPair(text: string, start: number): number {
  const quote = text[start]
  if (quote === '"' || quote === "'") return find(text, quote, start + 1) + 1
  const stop = /[&;,\s"'<>]/g
  stop.lastIndex = start
  return stop.exec(text)?.index ?? text.length
}
