/** Why each URI template of an operation matches a request, or does not, in words (specification 15.3, 15.5). */
import { matchUriTemplates, QueryPairs, type RequestedUri, readFields } from './match-uri-template.ts'
import type { Pattern, UriTemplate } from './uri-template.ts'

export interface TemplateVerdict {
  readonly index: number
  readonly source: string
  /** True for the one that wins. */
  readonly isMatch: boolean
  /** Why it does not win; empty for the one that does. */
  readonly reason: string
}

/** @param templates the most specific first @returns in the order of the configuration */
export function explainMatch(templates: readonly UriTemplate[], target: RequestedUri): readonly TemplateVerdict[] {
  const winner = matchUriTemplates(templates, target)?.template
  return templates
    .toSorted((a, b) => a.index - b.index)
    .map((template) => {
      const { index, source } = template
      if (template === winner) return { index, source, isMatch: true, reason: '' }
      const isBeaten = winner !== undefined && matchUriTemplates([template], target) !== undefined
      const reason = isBeaten ? `matches too, but ${winner.index} comes first` : findObstacle(template, target)
      return { index, source, isMatch: false, reason }
    })
}

function findObstacle({ path, query }: UriTemplate, target: RequestedUri): string {
  const sent = target.path.length
  for (const [at, pattern] of path.entries()) {
    const segment = target.path[at]
    if (segment === undefined) break
    if (readFields(pattern, segment)) continue
    return `segment ${at + 1} is ${quote(segment)}, not ${writePattern(pattern) || 'empty'}`
  }
  const isOneSlash =
    Math.abs(path.length - sent) === 1 && (path.length < sent ? target.path : texts(path)).at(-1) === ''
  if (path.length !== sent && !isOneSlash) return `it has ${count(path.length)}, the request ${sent}`
  const pairs = new QueryPairs(target.query)
  const missing = query.find((part) => !pairs.has(part))
  if (!missing) return 'no values of the path fit its variables'
  const literal = missing.literal === undefined ? '' : ` with the value ${quote(missing.literal)}`
  return `the query has no ${missing.name}${literal}`
}

function texts(path: readonly Pattern[]): readonly string[] {
  return path.map(writePattern)
}

function writePattern({ head, fields }: Pattern): string {
  return fields.reduce((text, { variable, tail }) => `${text}{${variable.element.name}}${tail}`, head)
}

function count(segments: number): string {
  return `${segments} path segment${segments === 1 ? '' : 's'}`
}

function quote(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text)
}
