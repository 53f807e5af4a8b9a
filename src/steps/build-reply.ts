/**
 * Turns the response of an operation into the reply, with the headers of every response (specification 2.4, 4.13, 7.1,
 * 7.3, 13.6).
 */

import { addDeprecation } from '../model/announce-deprecation.ts'
import type { Call, OperationResponse, Reply, ReplyStream } from '../model/call.ts'
import type { AnsweredCall } from '../model/call-record.ts'
import { type CorsSettings, isShared, writeAllowedOrigin } from '../model/cross-origin.ts'
import type { Observe } from '../model/observation.ts'
import { type Refusal, refusedBy } from '../model/refusal.ts'
import type { Transaction } from '../model/transaction.ts'
import type { Settings } from '../settings.ts'

export interface ReplyParts {
  readonly settings: Pick<Settings, 'platformName' | 'hsts'> & CorsSettings
  readonly observe: Observe
  now(): number
}

export function buildReply(
  response: OperationResponse,
  call: Call,
  transaction: Transaction,
  gateway: ReplyParts,
): Reply {
  const { status, headers, body, hasFailed, replay, isReplayable } = response
  const all = [...headers]
  addOrigin(all, call, transaction, gateway)
  addDeprecation(all, transaction)
  addVary(all, transaction)
  const reply = {
    status,
    headers: all,
    common: commonHeaderLines(transaction, gateway),
    body,
    hasFailed,
    replay,
    isReplayable,
  }
  if (body.stream) endCallAfterStream(body.stream, { kind: 'answered', call, transaction, reply }, gateway)
  else endCall({ kind: 'answered', call, transaction, reply, ended: gateway.now() }, gateway)
  return reply
}

/** Tells caches between client and gateway which request headers select the response (specification 6.14). */
function addVary(headers: string[], { operation }: Transaction): void {
  if (!operation?.cacheVary) return
  const stated = headers.flatMap((name, index) =>
    index % 2 === 0 && name === 'vary' ? [headers[index + 1] ?? ''] : [],
  )
  const names = stated
    .join()
    .toLowerCase()
    .split(/[\s,]+/)
  const further = operation.cacheVary.filter((name) => !names.includes(name))
  if (further.length > 0) headers.push('vary', further.join(', '))
}

/** A stream that fails is reported with the refusal of its failure, and the status that was sent (specification 5.31). */
function endCallAfterStream({ ended }: ReplyStream, call: Omit<AnsweredCall, 'ended'>, gateway: ReplyParts): void {
  void ended.then((streamed) => {
    const { failure } = streamed
    endCall(
      { ...call, ...(failure && { refusal: refusedBy('handler', failure) }), streamed, ended: gateway.now() },
      gateway,
    )
  })
}

/** Reports the answered call; it no longer counts towards load and concurrency. */
export function endCall(call: AnsweredCall, { observe }: Pick<ReplyParts, 'observe'>): void {
  for (const release of call.transaction.releases?.splice(0) ?? []) release()
  observe(call)
}

/**
 * Session cookie, platform headers, transaction id, revision and limits. They are written as lines directly, because their
 * values come from the gateway or were checked when they were read.
 */
export function commonHeaderLines(
  { id, sessionId, isSecure, ecid, rid, revision, rateLimit: ofCall }: Transaction,
  { settings: { platformName, hsts } }: Pick<ReplyParts, 'settings'>,
  refusal?: Refusal,
): string {
  const cookie = `set-cookie: JSESSIONID=${sessionId}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  let lines = `${cookie}\r\nx-${platformName}-dms-ecid: ${ecid}\r\nx-${platformName}-dms-rid: ${rid}\r\nig-transaction-id: ${id}\r\n`
  if (isSecure && hsts !== undefined) lines += `strict-transport-security: ${hsts}\r\n`
  if (revision !== undefined) lines += `ig-revision: ${revision}\r\n`
  const rateLimit = refusal?.rateLimit ?? ofCall
  if (rateLimit === undefined) return lines
  const { policies, name, remaining, reset } = rateLimit
  return `${lines}ratelimit-policy: ${policies}\r\nratelimit: "${name}";r=${remaining};t=${reset}\r\n`
}

/** If OPTIONS is answered, pages of the allowed origins may read the reply, unless the handler restricts it. */
export function addOrigin(
  headers: string[],
  { headers: { origin } }: Pick<Call, 'headers'>,
  { operation }: Transaction,
  { settings }: Pick<ReplyParts, 'settings'>,
): void {
  if (!isShared(operation, settings)) return
  if (!headers.includes('access-control-allow-origin'))
    headers.push(...writeAllowedOrigin(origin?.toString(), settings))
  if (!headers.includes('access-control-expose-headers')) headers.push('access-control-expose-headers', exposed)
}

/** Headers that a web page may need. */
const exposed = 'etag, retry-after, ratelimit-policy, ratelimit, ig-idempotent-replay, ig-refusal, ig-transaction-id'
