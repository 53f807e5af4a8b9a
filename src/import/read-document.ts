/** A JSON or YAML text as plain data (specification 16.8, 16.9). */
import { LineCounter, parseDocument } from 'yaml'
import type { Problem } from '../model/problem.ts'

export function readDocument(
  text: string,
  file: string,
): { readonly value: unknown } | { readonly problems: readonly Problem[] } {
  if (/^\s*\{/.test(text)) {
    try {
      return { value: JSON.parse(text) }
    } catch {} // YAML may begin so, too
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
    return { value: document.toJS({ maxAliasCount: 100 }) } // more are taken for an attack
  } catch (error) {
    return { problems: [{ path: file, message: `is refused: ${(error as Error).message}` }] }
  }
}
