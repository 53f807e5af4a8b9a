/**
 * The line of the configuration file for a problem's path: `operations[3].handler` → `gateway.config.ts:41`
 * (specification 14.5). It reads the file as text: for a computed value, it returns the line of the last part of the
 * path that the file contains.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Problem } from '../model/problem.ts'

/** @returns the problems in order, with the line before the path if known */
export function placeProblems(problems: readonly Problem[], configFile: string | undefined): readonly Problem[] {
  const source = configFile === undefined ? undefined : readSource(configFile)
  if (configFile === undefined || source === undefined) return problems
  const tokens = readTokens(source)
  return problems.map(({ path, message }) => {
    const line = locate(tokens, source, path)
    return { path: line === undefined ? path : `${basename(configFile)}:${line} ${path}`, message }
  })
}

function readSource(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

interface Token {
  readonly text: string
  readonly at: number
}

/** Skips comments and white space; a string is one token. */
function readTokens(source: string): readonly Token[] {
  const pattern =
    /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\.\.\.|[\w$]+|[^\s\w$]/g
  return Array.from(source.matchAll(pattern), ({ 0: text, index }) => ({ text, at: index })).filter(
    ({ text }) => !/^\/[/*]/.test(text),
  )
}

function locate(tokens: readonly Token[], source: string, path: string): number | undefined {
  const isSample = path.startsWith('sampleOperators')
  const parts = parsePath(path).slice(isSample ? 1 : 0)
  let at = isSample ? findAfter(tokens, 'const sampleOperators', '[') : findAfter(tokens, 'default', '{')
  if (at === undefined) return undefined
  let isFound = false
  for (const part of parts) {
    const next: number | undefined = typeof part === 'number' ? findItem(tokens, at, part) : findKey(tokens, at, part)
    if (next === undefined) break
    isFound = true
    at = next
  }
  const token = tokens[at]
  return isFound && token ? source.slice(0, token.at).split('\n').length : undefined
}

function parsePath(path: string): readonly (string | number)[] {
  return Array.from(path.matchAll(/\[(\d+)\]|\["([^"]*)"\]|([\w$-]+)/g), ([, index, quoted, name]) =>
    index === undefined ? (quoted ?? name ?? '') : Number(index),
  )
}

/** @returns the position of the bracket behind these words */
function findAfter(tokens: readonly Token[], words: string, bracket: string): number | undefined {
  const [last, before] = words.split(' ').reverse()
  const start = tokens.findIndex(
    ({ text }, index) => text === last && (before === undefined || tokens[index - 1]?.text === before),
  )
  const opening = tokens.findIndex(({ text }, index) => index > start && text === bracket)
  return start < 0 || opening < 0 ? undefined : opening
}

/** @param at the opening brace, or a name that refers to an object @returns the position of the value */
function findKey(tokens: readonly Token[], at: number, key: string): number | undefined {
  const opening = followName(tokens, at)
  if (tokens[opening]?.text !== '{') return undefined
  for (const start of findParts(tokens, opening)) {
    const name = tokens[start]?.text.replace(/^['"]|['"]$/g, '')
    if (name === key) return tokens[start + 1]?.text === ':' ? start + 2 : start
  }
  return undefined
}

function findItem(tokens: readonly Token[], at: number, index: number): number | undefined {
  const opening = followName(tokens, at)
  if (tokens[opening]?.text !== '[') return undefined
  const parts = findParts(tokens, opening)
  const isComputed = parts.slice(0, index + 1).some((start) => tokens[start]?.text === '...')
  return isComputed ? undefined : parts[index]
}

/** Follows `operations: list` to `const list = […]`. */
function followName(tokens: readonly Token[], at: number): number {
  const name = tokens[at]?.text ?? ''
  if (!/^[A-Za-z_$]/.test(name)) return at
  const declared = tokens.findIndex(({ text }, index) => text === name && tokens[index - 1]?.text === 'const')
  const equals = tokens.findIndex(({ text }, index) => declared >= 0 && index > declared && text === '=')
  return equals < 0 ? at : equals + 1
}

/** The positions of the parts between the commas of a bracket. */
function findParts(tokens: readonly Token[], opening: number): readonly number[] {
  const starts: number[] = []
  let depth = 0
  let isStart = true
  for (let at = opening; at < tokens.length; at++) {
    const { text } = tokens[at] as Token
    if (depth === 1 && isStart && !/^[\]},]$/.test(text)) {
      starts.push(at)
      isStart = false
    }
    if (/^[[{(]$/.test(text)) depth++
    else if (/^[\]})]$/.test(text) && --depth === 0) break
    else if (text === ',' && depth === 1) isStart = true
  }
  return starts
}
