/** Turns what an operation answered into the reply, with the headers that every response carries (specification 2.4, 4.13, 7.1, 7.3, 13.6). */
import type { Call, OperationResponse, Reply } from '../model/call.ts'
import type { Observe } from '../model/observation.ts'
import type { Transaction } from '../model/transaction.ts'
import type { Settings } from '../settings.ts'

export interface ReplyParts {
  readonly settings: Pick<Settings, 'platformName' | 'optionsEnabled'>
  readonly observe: Observe
}

export function writeReply(
  response: OperationResponse,
  call: Call,
  transaction: Transaction,
  gateway: ReplyParts,
): Reply {
  const { status, headers, body } = response
  const reply = {
    status,
    headers: headers.concat(wireHeaders(transaction, gateway), allowOrigin(headers, transaction, gateway)),
    body,
  }
  gateway.observe({ kind: 'answered', call, transaction, reply })
  return reply
}

/** Session cookie, platform headers, transaction id, and the revision that answers. */
export function wireHeaders(transaction: Transaction, { settings }: Pick<ReplyParts, 'settings'>): string[] {
  const { id, sessionId, isSecure, ecid, rid, revision } = transaction
  const platform = `x-${settings.platformName}-dms`
  return [
    'set-cookie',
    `JSESSIONID=${sessionId}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
    `${platform}-ecid`,
    ecid,
    `${platform}-rid`,
    rid,
    'ig-transaction-id',
    id,
    ...(revision === undefined ? [] : ['ig-revision', String(revision)]),
  ]
}

/** Where OPTIONS is answered, a page of any origin may read the reply, unless the handler has stated who may. */
export function allowOrigin(
  headers: readonly string[],
  { operation }: Transaction,
  { settings }: Pick<ReplyParts, 'settings'>,
): readonly string[] {
  const isShared = settings.optionsEnabled || operation?.allowsOptions === true
  return isShared && !headers.includes('access-control-allow-origin') ? ['access-control-allow-origin', '*'] : []
}
