/**
 * Writes JSON for responses (specification 5.3). What `JSON.stringify` would write as something else (NaN as null, a Buffer
 * as an object of numbers, a Map as nothing) is an error that names its place; a bigint is written as its digits.
 */
import { formatPath } from '../problem.ts'

/** @throws TypeError that names the place */
export function writeJson(value: unknown): string {
  if (isPlain(value, 0)) return JSON.stringify(value)
  const text = writeValue(value, [], [])
  if (text === undefined) throw new TypeError(`JSON cannot be made of ${nameOf(value)}`)
  return text
}

/** Deeper values, which may lead in a circle, are looked at with care. */
const plainDepth = 32

/** Whether `JSON.stringify` writes it correctly: true for nearly every response. */
function isPlain(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'undefined':
      return depth > 0
    case 'object':
      return value === null || (depth < plainDepth && isPlainObject(value, depth + 1))
    default:
      return false
  }
}

function isPlainObject(value: object, depth: number): boolean {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Array.prototype) {
    for (const item of value as unknown[]) if (!isPlain(item, depth)) return false
    return true
  }
  if (prototype === Date.prototype) return Number.isFinite((value as Date).getTime())
  if (prototype !== Object.prototype && prototype !== null) return false
  for (const name in value) {
    if (!isPlain((value as Record<string, unknown>)[name], depth)) return false
  }
  return true
}

type Path = readonly (string | number)[]

/** @param parents of the value @returns undefined for what objects leave out and arrays write as null */
function writeValue(value: unknown, path: Path, parents: readonly object[]): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value)
    case 'number':
      if (Number.isFinite(value)) return String(value)
      throw refuse(path, String(value))
    case 'bigint':
      return String(value)
    case 'object':
      return value === null ? 'null' : writeObject(value, path, parents)
    default:
      return undefined
  }
}

function writeObject(value: object, path: Path, parents: readonly object[]): string | undefined {
  if (parents.includes(value)) throw refuse(path, 'a parent of itself')
  if (cannotBeWritten(value)) throw refuse(path, nameOf(value))
  if (value instanceof Date) return JSON.stringify(value)
  const within = [...parents, value]
  if (isRawJSON(value)) return JSON.stringify(value)
  const json = 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON(String(path.at(-1) ?? '')) : value
  if (json !== value) return writeValue(json, path, within)
  if (value instanceof Number || value instanceof String || value instanceof Boolean)
    return writeValue(value.valueOf(), path, within)
  if (Array.isArray(value)) {
    const items = Array.from(value, (item, index) => writeValue(item, [...path, index], within) ?? 'null')
    return `[${items.join(',')}]`
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    const text = writeValue(member, [...path, name], within)
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
  })
  return `{${members.join(',')}}`
}

/** What `JSON.rawJSON` made, such as a decimal of more digits than a number holds. */
const { isRawJSON } = JSON as typeof JSON & { isRawJSON(value: object): boolean }

/** `JSON.stringify` writes `{}` for them: for a promise that lacks its `await`, too. */
const notWritten = [ArrayBuffer, Map, Set, Promise] as const

function cannotBeWritten(value: object): boolean {
  if (value instanceof Date) return Number.isNaN(value.getTime())
  return ArrayBuffer.isView(value) || notWritten.some((type) => value instanceof type)
}

function refuse(path: Path, what: string): TypeError {
  return new TypeError(`JSON cannot be made of ${path.length > 0 ? formatPath(path) : 'the value'}: it is ${what}`)
}

function nameOf(value: unknown): string {
  if (value instanceof Date) return 'an invalid Date'
  if (typeof value !== 'object' || value === null)
    return typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`
  const name = value.constructor?.name ?? 'object'
  return `${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name}`
}
