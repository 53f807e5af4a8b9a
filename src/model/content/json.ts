/**
 * Reads the JSON of a request body (specification 5.20). What parsers read differently (repeated names, `__proto__`,
 * halves of surrogate pairs) is refused, as is nesting that a later walk could not follow. One pass over the text and
 * one over the value: decisions D-500.
 */
import type { MemoryAccount } from '../memory-budget.ts'
import { Refusal } from '../refusal.ts'

export const jsonMaxDepth = 64

/** Maximum heap of a text and its value, in bytes: at least what Node 24 took for twelve shapes of text. */
const cost = { character: 6, container: 48, member: 40 }

/** @param memory of a large text @throws Refusal bodyMalformed; bodyTooLarge or overloaded without room for the value */
export function parseJson(text: string, memory?: MemoryAccount): unknown {
  const { members, containers } = scan(text)
  memory?.require(text.length * cost.character + containers * cost.container + members * cost.member)
  const value = parse(text)
  if (!isContainer(value)) return requireWellFormed(value, text)
  if (countNames(value) !== members)
    throw malformed('a name twice in JSON', `The JSON has a name twice in one object${showRepeated(text)}.`)
  return requireWellFormed(value, text)
}

/** `application/json` and every type whose suffix says that it is JSON, with any parameters. */
export function isJsonType(contentType: string): boolean {
  return contentType === 'application/json' || jsonType.test(contentType)
}

const jsonType = /^\s*(?:application\/json|[^\s;/]+\/[^\s;/]+\+json)\s*(?:;|$)/i

/** @param reason for the log: without names or values of the body */
export function malformed(reason: string, detail: string): Refusal {
  return new Refusal('bodyMalformed', reason, { detail })
}

const [quote, backslash, colon, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 58, 123, 125, 91, 93]

/** Before the text is known to be JSON: its members are the colons outside strings. */
function scan(text: string): { readonly members: number; readonly containers: number } {
  let members = 0
  let containers = 0
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === colon) members += 1
    else if (code === openBrace || code === openBracket) {
      containers += 1
      depth += 1
      if (depth > jsonMaxDepth)
        throw malformed('JSON is too deep', `The JSON is nested deeper than ${jsonMaxDepth} levels.`)
    } else if (code === closeBrace || code === closeBracket) depth -= 1
  }
  return { members, containers }
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let from = end
    while (text.charCodeAt(from - 1) === backslash) from -= 1
    if ((end - from) % 2 === 0) return end
  }
  return text.length
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const place = /\(line \d+ column \d+\)/.exec((error as Error).message)
    throw malformed('not JSON', `The body is not JSON${place ? ` ${place[0]}` : ''}.`)
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** A name that an object has twice is counted once. */
function countNames(container: object): number {
  let names = 0
  if (Array.isArray(container)) {
    for (const item of container) if (isContainer(item)) names += countNames(item)
    return names
  }
  for (const name in container) {
    names += 1
    const value = (container as Record<string, unknown>)[name]
    if (isContainer(value)) names += countNames(value)
  }
  return names
}

function showRepeated(text: string): string {
  const repeated = findRepeated(text)
  return repeated ? `: ${JSON.stringify(repeated.name.slice(0, 64))}` : ''
}

/** The first name that an object has twice, and where; a string before a colon is a name. @param text valid JSON */
export function findRepeated(text: string): { readonly name: string; readonly at: number } | undefined {
  const objects: (Set<string> | undefined)[] = []
  let start = 0
  let end = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      start = at
      at = end = endOfString(text, at)
    } else if (code === openBrace || code === openBracket) objects.push(code === openBrace ? new Set() : undefined)
    else if (code === closeBrace || code === closeBracket) objects.pop()
    else if (code === colon) {
      const name: string = JSON.parse(text.slice(start, end + 1))
      const names = objects.at(-1)
      if (names?.has(name)) return { name, at: start }
      names?.add(name)
    }
  }
  return undefined
}

/** Only an escape can write half of a pair, or hide `__proto__`: other texts are not walked. */
function requireWellFormed<Value>(value: Value, text: string): Value {
  if (text.includes('\\u') || text.includes('__proto__')) requireText(value)
  return value
}

function requireText(value: unknown): void {
  if (typeof value === 'string' && !value.isWellFormed())
    throw malformed('half of a surrogate pair in JSON', 'The JSON has half of a surrogate pair, which is no character.')
  if (!isContainer(value)) return
  for (const name of Object.keys(value)) {
    if (name === '__proto__') throw malformed('__proto__ in JSON', 'The JSON has the name __proto__.')
    requireText(name)
    requireText((value as Record<string, unknown>)[name])
  }
}
