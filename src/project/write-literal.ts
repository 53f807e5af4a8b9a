/**
 * Writes a value as TypeScript in the style of this repository: single quotes, short values on one line (specification
 * 8.8).
 */
import { writeJson } from '../base/escape.ts'

const width = 110

/** @param value plain data */
export function writeLiteral(value: unknown, indent = ''): string {
  const line = writeLine(value)
  if (line.length + indent.length <= width && indent.length > 2) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[\n${value.map((item) => `${inner}${writeLiteral(item, inner)},\n`).join('')}${indent}]`
  }
  if (typeof value !== 'object' || value === null) return line
  const fields = Object.entries(value).map(
    ([key, field]) => `${inner}${writeKey(key)}: ${writeLiteral(field, inner)},\n`,
  )
  return fields.length === 0 ? '{}' : `{\n${fields.join('')}${indent}}`
}

function writeLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeLine).join(', ')}]`
  if (typeof value === 'string') return writeText(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(([key, field]) => `${writeKey(key)}: ${writeLine(field)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

function writeKey(key: string): string {
  if (key === '__proto__') return "['__proto__']" // otherwise it would set the prototype
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : writeText(key)
}

/** Escaped as JSON, in single quotes if it contains none. */
function writeText(text: string): string {
  const json = writeJson(text)
  return text.includes("'") ? json : `'${json.slice(1, -1).replaceAll('\\"', '"')}'`
}
