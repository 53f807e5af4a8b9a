/** The messages of an error response that belong to a field and the fields in it. */
import { type FieldProblem, Problem } from '../api/client.ts'

export function findError(error: Error | null, path: string): string | undefined {
  return error instanceof Problem ? errorOf(error.problems, path) : undefined
}

export function errorOf(problems: readonly FieldProblem[], path: string): string | undefined {
  const own = problems.filter((problem) => problem.path === path || /^[.[]/.test(tailOf(problem.path, path)))
  if (own.length === 0) return undefined
  return own.map((problem) => `${tailOf(problem.path, path).replace(/^\./, '')} ${problem.message}`.trim()).join('; ')
}

function tailOf(path: string, start: string): string {
  return path.startsWith(start) ? path.slice(start.length) : ''
}
