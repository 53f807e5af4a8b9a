/**
 * Finds handlers that read a header or the caller's identity and make their response cacheable, while the operation states
 * no cache key policy (specification 6.9). It searches the source text; a running gateway reports what that misses.
 */
import { adviseCacheKey } from '../../model/operation-terms.ts'
import type { Problem } from '../../model/problem.ts'
import type { Project } from '../../project/open-project.ts'

export function findDoubtfulCaching({ configuration, handlers }: Project): readonly Problem[] {
  return configuration.operations.flatMap(({ method, cacheKeyPolicy, cacheVary = [], handler = '' }, index) => {
    if (method !== 'GET' || cacheKeyPolicy !== undefined) return []
    const source = String(handlers.get(String(handler)))
    const text = stripComments(source)
    const [request, context] = readParameters(text)
    if (!cachesResponse(text, request)) return []
    const keyed: readonly string[] = cacheVary
    const read = [...readHeaders(source)].filter((name) => !keyed.includes(name))
    if (readsOperator(text, context)) read.push("the caller's identity")
    if (read.length === 0) return []
    const message =
      `is not set, and the handler reads ${read.join(', ')} and caches its response: callers that differ in it receive the ` +
      `same response. ${adviseCacheKey(read)}`
    return [{ path: `operations[${index}].cacheKeyPolicy`, message }]
  })
}

/** Names of headers are strings, which `stripComments` removes. */
function readHeaders(source: string): ReadonlySet<string> {
  const read = source.matchAll(/\.(?:getHeader\(\s*['"`]([\w-]+)['"`]|getAcceptedType\()/g)
  return new Set([...read].map(([, name = 'accept']) => name.toLowerCase()))
}

/** Strings too; templates stay, because they contain expressions. */
function stripComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, ' ')
}

/** The parameters of `onRequest`, as written. */
function readParameters(text: string): readonly (string | undefined)[] {
  const [, list = ''] = /\bonRequest\s*(?:=\s*(?:async\s*)?)?\(([^)]*)\)/.exec(text) ?? []
  const [, request, context] = /^\s*(\{[^}]*\}|\w+)?\s*(?:,\s*(\{[^}]*\}|\w+))?/.exec(list) ?? []
  return [request, context]
}

/** On the request message it has no effect (specification 6.1). */
function cachesResponse(text: string, request: string | undefined): boolean {
  return [...text.matchAll(/([\w$]*)\s*\??\.setRestCache\(/g)].some(([, receiver]) => receiver !== request)
}

function readsOperator(text: string, context = 'context'): boolean {
  if (context.startsWith('{')) return /\boperator\b/.test(context)
  const name = context.replaceAll('$', '\\$')
  return new RegExp(`\\b${name}\\??\\.operator\\b|\\{[^{}]*\\boperator\\b[^{}]*\\}\\s*=\\s*${name}\\b`).test(text)
}
