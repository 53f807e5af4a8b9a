/**
 * Finds the operation of an alias, version and method (specification 1.4, 2.3, 2.8, 4.5, 4.7); if there is none, the one
 * that `upstream` of the node makes (36.19).
 */
import type { Catalog } from '../configuration/catalog.ts'
import type { Operation } from '../model/operation.ts'
import { type Method, methods } from '../model/operation-terms.ts'
import { Refusal } from '../model/refusal.ts'
import { findSignpost } from '../model/signposts.ts'
import { type Compatibility, relax } from '../model/uri/relax.ts'
import { parseSplit, type SplitUrl, type Target } from '../model/uri/target.ts'
import type { Settings } from '../settings.ts'
import { bindUri } from './bind-uri.ts'

interface Parts {
  readonly settings: Pick<Settings, 'errorStyle' | 'gatewayPath' | 'compatibility'>
}

export function findOperation(
  target: Target,
  method: string,
  catalog: Pick<Catalog, 'services' | 'operations' | 'nodes' | 'fallbacks'>,
  { settings }: Parts,
): Operation {
  const named = target.operationId === undefined ? undefined : catalog.operations.get(target.operationId)
  if (named) return named
  const operations = findOperations(target, catalog)
  const operation = operations.get(method as Method)
  if (operation) return operation
  const get = operations.get('GET')
  if (method === 'HEAD' && get && answersHead(get, settings)) return get
  const fallback = catalog.fallbacks.find(target, method)
  if (fallback) return fallback
  throw operationNotFound(operations, settings, () => findUrlHint(method, target, catalog, { settings }))
}

/** For the log: what a refused URL was probably meant to be. */
export function findUrlHint(
  method: string,
  url: SplitUrl,
  catalog: Pick<Catalog, 'services' | 'operations' | 'nodes' | 'fallbacks'>,
  { settings }: Parts,
): string {
  const { gatewayPath } = settings
  const accepts = (compatibility: Compatibility) => {
    try {
      const target = parseSplit(relax(url, compatibility, gatewayPath), gatewayPath)
      if (!target || !catalog.nodes.has(target.node)) return false
      bindUri(target, findOperation(target, method, catalog, { settings }))
      return true
    } catch {
      return false
    }
  }
  return findSignpost(method, url.rawPath, { ...catalog, ...settings, accepts })
}

/** All methods of an alias and version; none if the name or version does not exist. */
export function findOperations(
  { segment }: Target,
  { services }: Pick<Catalog, 'services'>,
): ReadonlyMap<Method, Operation> {
  return services.get(segment) ?? noOperations
}

const noOperations: ReadonlyMap<Method, Operation> = new Map()

/** The content of `Allow`: the configured methods, and HEAD if GET answers it. */
export function listMethods(
  operations: ReadonlyMap<Method, Operation>,
  settings: Pick<Settings, 'errorStyle'>,
): readonly Method[] {
  const get = operations.get('GET')
  const hasHead = get !== undefined && answersHead(get, settings)
  return methods.filter((method) => operations.has(method) || (method === 'HEAD' && hasHead))
}

function answersHead(get: Operation, { errorStyle }: Pick<Settings, 'errorStyle'>): boolean {
  return (get.errorStyle ?? errorStyle) === 'standard'
}

export function operationNotFound(
  operations: ReadonlyMap<Method, Operation>,
  settings: Pick<Settings, 'errorStyle'>,
  findSignpost = () => '',
): Refusal {
  const reason =
    operations.size > 0
      ? 'This name and version has no operation for this method.'
      : 'There is no operation of this name and version.'
  return new Refusal('operationNotFound', () => `${reason} ${findSignpost()}`.trimEnd(), {
    allow: listMethods(operations, settings),
  })
}
