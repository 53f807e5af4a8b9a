/**
 * Escapes foreign text for its reader: one function for each target (specification 8.8). No text can control a
 * terminal, forge a line, or become markup, a setting or a command.
 */

/** One line: line breaks and tabs are shown as escapes too. */
export function showLine(text: string, maxLength: number): string {
  return shorten(text, maxLength)
    .toWellFormed()
    .replace(steering, escapeCharacter)
    .replace(/[\t\r\n]/g, escapeCharacter)
}

/** Keeps line breaks. */
export function showLines(text: string, maxLength: number): string {
  return shorten(text, maxLength).toWellFormed().replace(/\r\n/g, '\n').replace(steering, escapeCharacter)
}

/** For text and for values in double quotation marks. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '')
}

/** JSON with only characters that a terminal displays unchanged; parsers get the same value. */
export function writeJson(value: unknown, indent?: number): string {
  return escapeUnits(JSON.stringify(value, null, indent))
}

/** A line of a properties file. @param key of a setting */
export function writeProperty(key: string, value: string): string {
  const text = value
    .replaceAll('\\', '\\\\')
    .replace(/^ /, '\\ ')
    .replace(/[^ -~]/g, unicodeEscape)
  return `${key}=${text}`
}

/** One word for a POSIX shell; control characters as bash, ksh and zsh escape them. */
export function quoteShell(text: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text
  if (!hasSteering(text)) return `'${text.replaceAll("'", "'\\''")}'`
  const bytes = (character: string) =>
    [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  return `$'${text
    .toWellFormed()
    .replace(/[\\']/g, '\\$&')
    .replace(steering, bytes)
    .replace(/[\t\n]/g, bytes)}'`
}

/** Markup with escaped texts, and only characters that a terminal displays unchanged. */
export function escapeMarkup(markup: string): string {
  return markup.replace(steering, (character) => `&#${character.charCodeAt(0)};`)
}

/** For strings of JSON and TypeScript. */
export function escapeUnits(text: string): string {
  return text.replace(steering, unicodeEscape)
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function hasSteering(text: string): boolean {
  return text.search(steering) >= 0 || /[\t\n]/.test(text)
}

function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}… (${text.length - maxLength} more)`
}

/** Control characters but tab and line feed; invisible marks, marks that change the direction of text, and what is no character. */
const steering =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]/g

function escapeCharacter(character: string): string {
  const short = { '\t': '\\t', '\r': '\\r', '\n': '\\n' }[character]
  if (short !== undefined) return short
  const hex = (character.codePointAt(0) ?? 0).toString(16)
  return hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
