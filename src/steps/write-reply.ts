/**
 * Turns the response of an operation into the reply, with the headers of every response (specification 2.4, 4.13, 7.1,
 * 7.3, 13.6).
 */

import { addDeprecation } from '../model/announce-deprecation.ts'
import type { Call, OperationResponse, Reply } from '../model/call.ts'
import type { Observe } from '../model/observation.ts'
import type { Transaction } from '../model/transaction.ts'
import type { Settings } from '../settings.ts'

export interface ReplyParts {
  readonly settings: Pick<Settings, 'platformName' | 'optionsEnabled'>
  readonly observe: Observe
  now(): number
}

export function writeReply(
  response: OperationResponse,
  call: Call,
  transaction: Transaction,
  gateway: ReplyParts,
): Reply {
  const { status, headers, body } = response
  const all = [...headers]
  addWireHeaders(all, transaction, gateway)
  addOrigin(all, transaction, gateway)
  addDeprecation(all, transaction)
  const reply = { status, headers: all, body }
  gateway.observe({ kind: 'answered', call, transaction, reply, ended: gateway.now() })
  return reply
}

/** Session cookie, platform headers, transaction id, and revision. */
export function addWireHeaders(
  headers: string[],
  { id, sessionId, isSecure, ecid, rid, revision }: Transaction,
  { settings }: Pick<ReplyParts, 'settings'>,
): void {
  const names = platformHeaders(settings.platformName)
  const cookie = `JSESSIONID=${sessionId}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  headers.push('set-cookie', cookie, names.ecid, ecid, names.rid, rid, 'ig-transaction-id', id)
  if (revision !== undefined) headers.push('ig-revision', String(revision))
}

/** If OPTIONS is answered, pages of any origin may read the reply, unless the handler restricts it. */
export function addOrigin(
  headers: string[],
  { operation }: Transaction,
  { settings }: Pick<ReplyParts, 'settings'>,
): void {
  const isShared = settings.optionsEnabled || operation?.allowsOptions === true
  if (isShared && !headers.includes('access-control-allow-origin')) headers.push('access-control-allow-origin', '*')
}

let known = { platformName: '', ecid: '', rid: '' }

/** A name concatenated at each call would be a new string each time; these are constant. */
function platformHeaders(platformName: string): { readonly ecid: string; readonly rid: string } {
  if (platformName !== known.platformName) {
    known = { platformName, ecid: `x-${platformName}-dms-ecid`, rid: `x-${platformName}-dms-rid` }
  }
  return known
}
