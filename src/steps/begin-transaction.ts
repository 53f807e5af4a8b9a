/** Gives a call its identity: transaction id, session cookie, trace (specification 3.18, 7.1, 7.3). */
import { randomFillSync, randomUUID } from 'node:crypto'
import type { Call } from '../model/call.ts'
import type { Catalog } from '../model/catalog.ts'
import type { Transaction } from '../model/transaction.ts'

interface Parts {
  readonly catalog?: Pick<Catalog, 'revision'>
  now(): number
}

export function beginTransaction(call: Call, { catalog, now }: Parts): Transaction {
  const { cookie, traceparent } = call.headers
  return {
    id: randomUUID(),
    begun: now(),
    sessionId: readSessionId(cookie) ?? randomSession(),
    isSecure: call.isSecure,
    ecid: readTraceId(traceparent) ?? randomTrace(),
    revision: catalog?.revision,
    rid: '0', // the root of its execution context: a request is never a part of another here
    // All that will be known is named here: an object that grows is copied, at every call.
    target: undefined,
    operation: undefined,
    operator: undefined,
    uri: undefined,
    isCached: undefined,
    requestBody: undefined,
  }
}

type HeaderValue = string | string[] | undefined

/** The first JSESSIONID that has the form of ours: 24 random bytes in base64url. */
function readSessionId(cookie: HeaderValue): string | undefined {
  if (typeof cookie !== 'string') return undefined
  return /(?:^|;)[ \t]*JSESSIONID=([\w-]{32})[ \t]*(?:;|$)/.exec(cookie)?.[1]
}

/** W3C Trace Context: a later version may append fields to those of version 00. */
function readTraceId(traceparent: HeaderValue): string | undefined {
  if (typeof traceparent !== 'string') return undefined
  const match = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/.exec(traceparent.trim())
  if (!match) return undefined
  const [, version = '', traceId = '', parentId = '', more] = match
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  return /[^0]/.test(traceId) && /[^0]/.test(parentId) ? traceId : undefined
}

const randomSession = openRandomTexts(24, 'base64url')
const randomTrace = openRandomTexts(16, 'hex')

/**
 * So many random bytes as text at each call. Asking the system costs 1.8 µs: many are fetched and encoded at once, and
 * each text is cut from them once.
 */
function openRandomTexts(bytes: number, encoding: 'base64url' | 'hex'): () => string {
  const pool = Buffer.alloc(bytes * 256)
  const length = Buffer.alloc(bytes).toString(encoding).length // without padding: 24 is a multiple of 3
  let texts = ''
  let used = 0
  return () => {
    if (used === texts.length) {
      texts = randomFillSync(pool).toString(encoding)
      used = 0
    }
    used += length
    return texts.slice(used - length, used)
  }
}
