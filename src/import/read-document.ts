/** Parses JSON or YAML to plain data (specification 16.8, 16.9). */
import { LineCounter, parseDocument } from 'yaml'
import type { Problem } from '../model/problem.ts'

type Document = { readonly value: unknown } | { readonly problems: readonly Problem[] }

/** Maximum nesting: code that walks a document recurses as deep. */
const deepest = 500

export function readDocument(text: string, file: string): Document {
  const read = parse(text, file)
  if (!('value' in read) || !isDeeper(read.value, deepest)) return read
  return { problems: [{ path: file, message: `is refused: it is nested more than ${deepest} deep` }] }
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1))
}

function parse(text: string, file: string): Document {
  if (/^\s*\{/.test(text)) {
    try {
      return { value: JSON.parse(text) }
    } catch {} // YAML may begin in the same way
  }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ pos, message }) => {
      const { line } = lines.linePos(pos[0])
      return { path: `${file}:${line}`, message: `is neither JSON nor YAML: ${message}` }
    })
    return { problems }
  }
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) } // more would be an attack
  } catch (error) {
    return { problems: [{ path: file, message: `is refused: ${(error as Error).message}` }] }
  }
}
