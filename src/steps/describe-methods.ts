/**
 * Answers OPTIONS if an operation or the setting allows it (specification 2.4). It needs no credentials: a browser
 * sends none with a preflight, and the answer lists only methods.
 */

import type { Catalog } from '../configuration/catalog.ts'
import { type Call, emptyBody, type OperationResponse } from '../model/call.ts'
import { type CorsSettings, isAllowedOrigin, isShared, writeAllowedOrigin } from '../model/cross-origin.ts'
import { methods } from '../model/operation-terms.ts'
import type { Target } from '../model/uri/target.ts'
import type { Settings } from '../settings.ts'
import { findOperations, listMethods, operationNotFound } from './find-operation.ts'

interface Parts {
  readonly settings: CorsSettings & Pick<Settings, 'errorStyle'>
}

export function describeMethods(
  target: Target,
  { headers: { origin } }: Pick<Call, 'headers'>,
  catalog: Pick<Catalog, 'services'>,
  { settings }: Parts,
): OperationResponse {
  const operations = findOperations(target, catalog)
  const configured = methods.filter((method) => operations.has(method))
  const shared = configured.filter((method) => isShared(operations.get(method), settings))
  if (shared.length === 0) throw operationNotFound(operations, settings)
  return {
    status: 200,
    headers: [
      'allow',
      [...listMethods(operations, settings), 'OPTIONS'].join(', '),
      ...crossOrigin(shared, origin?.toString(), settings),
    ],
    body: emptyBody,
  }
}

/** For pages of the allowed origins. */
function crossOrigin(shared: readonly string[], origin: string | undefined, settings: CorsSettings): readonly string[] {
  const allowed = writeAllowedOrigin(origin, settings)
  if (!isAllowedOrigin(origin, settings)) return allowed
  const { allowHeaders } = settings.cors
  const headers = [
    'access-control-allow-methods',
    shared.join(', '),
    'access-control-allow-headers',
    allowHeaders.join(', '),
  ]
  return [...allowed, ...headers]
}
