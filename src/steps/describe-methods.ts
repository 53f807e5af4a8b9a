/**
 * Answers OPTIONS if an operation or the setting allows it (specification 2.4). It needs no credentials: a browser
 * sends none with a preflight, and the answer lists only methods.
 */

import { emptyBody, type OperationResponse } from '../model/call.ts'
import type { Catalog } from '../model/catalog.ts'
import { methods } from '../model/operation-terms.ts'
import type { Target } from '../model/uri/target.ts'
import type { Settings } from '../settings.ts'
import { findOperations, listMethods, operationNotFound } from './find-operation.ts'

interface Parts {
  readonly settings: Pick<Settings, 'optionsEnabled' | 'errorStyle'>
}

export function describeMethods(
  target: Target,
  catalog: Pick<Catalog, 'services'>,
  { settings }: Parts,
): OperationResponse {
  const operations = findOperations(target, catalog)
  const configured = methods.filter((method) => operations.has(method))
  const shared = configured.filter((method) => settings.optionsEnabled || operations.get(method)?.allowsOptions)
  if (shared.length === 0) throw operationNotFound(operations, settings)
  return {
    status: 200,
    headers: ['allow', [...listMethods(operations, settings), 'OPTIONS'].join(', '), ...crossOrigin(shared)],
    body: emptyBody,
  }
}

/**
 * Pages of any origin may call these methods; without `-Allow-Credentials`, never with credentials that a browser
 * remembers.
 */
function crossOrigin(shared: readonly string[]): readonly string[] {
  return [
    'access-control-allow-origin',
    '*',
    'access-control-allow-methods',
    shared.join(', '),
    'access-control-allow-headers',
    'authorization, content-type, idempotency-key, ps_token',
  ]
}
