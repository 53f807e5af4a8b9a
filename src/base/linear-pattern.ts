/**
 * Patterns of elements, matched against the whole value in time linear in its length (specification 2.29). The engine
 * is loaded with the first pattern: most configurations have none.
 */
import { createRequire } from 'node:module'

/** What is used of `re2js`. */
interface Engine {
  readonly RE2JS: { compile(source: string): Pattern }
}

interface Pattern {
  matches(text: string): boolean
}

const load = createRequire(import.meta.url)
/** Compiled once for all elements with the same pattern. */
const compiled = new Map<string, Pattern>()
const maxCompiled = 1000

/** @throws Error for an invalid pattern */
function compile(source: string): Pattern {
  let pattern = compiled.get(source)
  if (!pattern) {
    pattern = (load('re2js') as Engine).RE2JS.compile(source)
    if (compiled.size >= maxCompiled) compiled.clear()
    compiled.set(source, pattern)
  }
  return pattern
}

/** @param source without an error: see `findPatternProblem` */
export function matchesPattern(source: string, text: string): boolean {
  return compile(source).matches(text)
}

/** Why a pattern cannot be used; follows its path. */
export function findPatternProblem(source: string): string | undefined {
  try {
    compile(source)
    return undefined
  } catch (error) {
    const unsupported = constructs.find(({ syntax }) => syntax.test(source))
    if (unsupported) return `has ${unsupported.name}, which cannot be matched in linear time: leave it out`
    return `is not a pattern in the syntax of RE2: ${(error as Error).message}`
  }
}

const constructs = [
  { syntax: /\(\?<?[=!]/, name: 'a look-around such as (?=…)' },
  { syntax: /\\[1-9]|\\k[<{']/, name: 'a back reference such as \\1' },
]
