/** Parses JSON or YAML, with the merge keys of YAML 1.1, to plain data (specification 16.8, 16.9). */
import { LineCounter, parseDocument } from 'yaml'
import type { Problem } from '../model/problem.ts'

type Document = { readonly value: unknown } | { readonly problems: readonly Problem[] }

/** Code that walks a document recurses as deep. */
const maxDepth = 500
/** A value that several aliases name counts for each. */
const maxValues = 5_000_000
/** More uses of an anchor, or of anchors within anchors, would be an attack. */
const maxAliases = 1000

export function readDocument(text: string, file: string): Document {
  const read = parse(text, file)
  const reason = 'value' in read ? findExcess(read.value) : undefined
  return reason === undefined ? read : { problems: [{ path: file, message: `is refused: it ${reason}` }] }
}

function findExcess(document: unknown): string | undefined {
  let values = 0
  const isDeeper = (value: unknown, depth: number): boolean => {
    values += 1
    if (typeof value !== 'object' || value === null || values > maxValues) return false
    return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1))
  }
  if (isDeeper(document, maxDepth)) return `is nested more than ${maxDepth} deep`
  return values > maxValues ? `has more than ${maxValues} values` : undefined
}

function parse(text: string, file: string): Document {
  if (/^\s*\{/.test(text)) {
    try {
      return { value: JSON.parse(text) }
    } catch {} // YAML may begin in the same way
  }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ pos, message }) => {
      const { line } = lines.linePos(pos[0])
      return { path: `${file}:${line}`, message: `is neither JSON nor YAML: ${message}` }
    })
    return { problems }
  }
  try {
    return { value: document.toJS({ maxAliasCount: maxAliases }) }
  } catch (error) {
    const isAttack = error instanceof ReferenceError && /alias count/.test(error.message)
    const reason = isAttack ? `it has more than ${maxAliases} aliases of an anchor` : (error as Error).message
    return { problems: [{ path: file, message: `is refused: ${reason}` }] }
  }
}
