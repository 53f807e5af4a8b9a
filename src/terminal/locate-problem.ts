/**
 * The line of a configuration that a problem's path leads to: `operations[3].handler` → `gateway.config.ts:41`
 * (specification 14.5). It reads the file as text: where a value is computed, the line is that of the last part
 * of the path that is written out.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Problem } from '../model/problem.ts'

/** @returns the problems in order, each with its place before the path where that is known */
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

/** Comments and white space are left out; a string is one token. */
function readTokens(source: string): readonly Token[] {
  const pattern =
    /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\.\.\.|[\w$]+|[^\s\w$]/g
  return Array.from(source.matchAll(pattern), ({ 0: text, index }) => ({ text, at: index })).filter(
    ({ text }) => !/^\/[/*]/.test(text),
  )
}

function locate(tokens: readonly Token[], source: string, path: string): number | undefined {
  const parts = parsePath(path)
  let at = findDefinition(tokens, parts[0])
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

/** The object that is the default export, or the array of sample operators. */
function findDefinition(tokens: readonly Token[], first: string | number | undefined): number | undefined {
  const word = first === 'sampleOperators' ? 'sampleOperators' : 'default'
  const start = tokens.findIndex(({ text }) => text === word)
  const opening = tokens.findIndex(({ text }, index) => index > start && text === '{')
  return start < 0 || opening < 0 ? undefined : opening
}

/** @param at of the opening brace, or of a name that stands for an object @returns where the value begins */
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

/** `operations: list` leads on to `const list = […]`. */
function followName(tokens: readonly Token[], at: number): number {
  const name = tokens[at]?.text ?? ''
  if (!/^[A-Za-z_$]/.test(name)) return at
  const declared = tokens.findIndex(({ text }, index) => text === name && tokens[index - 1]?.text === 'const')
  const equals = tokens.findIndex(({ text }, index) => declared >= 0 && index > declared && text === '=')
  return equals < 0 ? at : equals + 1
}

/** Where each part between the commas of a bracket begins. */
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
