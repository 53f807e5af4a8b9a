/**
 * Finds handlers that both read the caller's identity and make their response cacheable, while the operation sets no
 * policy (specification 6.9), or preferences of the request that do not join the key (6.15). It searches the source text; a running gateway reports what that misses.
 */
import type { Problem } from '../model/problem.ts'
import type { Project } from './open-project.ts'

export function findDoubtfulCaching({ configuration, handlers }: Project): readonly Problem[] {
  return [...findSharedIdentities(configuration, handlers), ...findSharedPreferences(configuration, handlers)]
}

function findSharedIdentities(
  { operations }: Project['configuration'],
  handlers: Project['handlers'],
): readonly Problem[] {
  return operations.flatMap(({ method, cacheKeyPolicy, handler = '' }, index) => {
    if (method !== 'GET' || cacheKeyPolicy !== undefined) return []
    const text = stripComments(String(handlers.get(String(handler))))
    const [request, context] = readParameters(text)
    if (!cachesResponse(text, request) || !readsOperator(text, context)) return []
    const message =
      'is not set, and the handler reads the operator and caches its response: another user receives the response of ' +
      'the first. Set perOperator, or shared if that is intended'
    return [{ path: `operations[${index}].cacheKeyPolicy`, message }]
  })
}

/** A handler that chooses by `Accept` or `Accept-Language` (specification 6.15). */
function findSharedPreferences(
  { operations }: Project['configuration'],
  handlers: Project['handlers'],
): readonly Problem[] {
  return operations.flatMap(({ method, cacheVary = [], handler = '' }, index) => {
    const source = String(handlers.get(String(handler)))
    if (method !== 'GET' || !cachesResponse(stripComments(source), readParameters(stripComments(source))[0])) return []
    const read = [...source.matchAll(/\.(?:getHeader\(\s*['"`](accept(?:-language)?)['"`]|(getAcceptedType)\()/gi)]
    const names = new Set(read.map(([, name = 'accept']) => name.toLowerCase() as (typeof cacheVary)[number]))
    return [...names].flatMap((name) => {
      if (cacheVary.includes(name)) return []
      const message = `does not have ${name}, and the handler reads it and caches its response: requests that prefer another one receive it`
      return [{ path: `operations[${index}].cacheVary`, message }]
    })
  })
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
