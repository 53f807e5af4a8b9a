/** Makes foreign text harmless to show: nothing in it can steer a terminal, forge a line or become HTML (specification 8.6). */

/** One line: line breaks and tabs are shown as escapes too. */
export function showLine(text: string, maxLength: number): string {
  return shorten(text, maxLength)
    .toWellFormed()
    .replace(steering, escapeCharacter)
    .replace(/[\t\r\n]/g, escapeCharacter)
}

/** Several lines stay several lines. */
export function showLines(text: string, maxLength: number): string {
  return shorten(text, maxLength).toWellFormed().replace(/\r\n/g, '\n').replace(steering, escapeCharacter)
}

/** For text and for values in double quotation marks. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '')
}

function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}… (${text.length - maxLength} more)`
}

/** Control characters but tab and line feed; marks that are invisible or turn the direction of text. */
const steering =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g

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
