/** Parses JSON or YAML, with the merge keys of YAML 1.1, to plain data (specification 16.8, 16.9). */
import { isScalar, LineCounter, parseDocument, visit } from 'yaml'
import type { Problem } from '../../model/problem.ts'

type Document = { readonly value: unknown } | { readonly problems: readonly Problem[] }

/** Code that walks a document recurses as deep. */
const maxDepth = 500
/** A value that several aliases name counts for each. */
const maxValues = 5_000_000
/** The parser needs a hundred times as much memory. */
const maxYaml = 30 * 1024 * 1024
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
  if (text.length > maxYaml)
    return { problems: [{ path: file, message: 'is YAML of more than 30 MiB: convert it to JSON' }] }
  const lines = new LineCounter()
  const options = { lineCounter: lines, prettyErrors: false, merge: true, uniqueKeys: false }
  const document = parseDocument(text, options)
  const errors = document.errors.map(({ pos: [at], message }) => ({ at, message }))
  const problems = [...errors, ...findRepeated(document)].map(({ at, message }) => {
    return { path: `${file}:${lines.linePos(at).line}`, message: `is neither JSON nor YAML: ${message}` }
  })
  if (problems.length > 0) return { problems }
  try {
    return { value: document.toJS({ maxAliasCount: maxAliases }) }
  } catch (error) {
    const isAttack = error instanceof ReferenceError && /alias count/.test(error.message)
    const reason = isAttack ? `it has more than ${maxAliases} aliases of an anchor` : (error as Error).message
    return { problems: [{ path: file, message: `is refused: ${reason}` }] }
  }
}

/** Keys that a mapping has twice; the parser would compare each with all others. */
function findRepeated(document: Parameters<typeof visit>[0]) {
  const repeated: { readonly at: number; readonly message: string }[] = []
  visit(document, {
    Map(_, { items }) {
      const known = new Set<string>()
      for (const { key } of items) {
        if (!isScalar(key) || typeof key.value === 'symbol') continue // a merge key
        const name = String(key.value)
        if (known.has(name))
          repeated.push({ at: key.range?.[0] ?? 0, message: `the key ${JSON.stringify(name)} is there twice` })
        known.add(name)
      }
    },
  })
  return repeated
}
