/** Gives a call its identity: transaction id, session cookie, trace (specification 3.18, 7.1, 7.3). */

import { randomUUID } from 'node:crypto'
import { openRandomTexts } from '../base/random-text.ts'
import type { Catalog } from '../configuration/catalog.ts'
import type { Call } from '../model/call.ts'
import { Timeline } from '../model/timeline.ts'
import { readTraceParent, type Traces } from '../model/trace.ts'
import { OpenTransaction } from '../model/transaction.ts'

interface Parts {
  readonly catalog?: Pick<Catalog, 'revision'>
  /** Undefined if no call is traced. */
  readonly tracing?: Traces | undefined
  now(): number
}

export function beginTransaction(call: Call, { catalog, tracing, now }: Parts): OpenTransaction {
  const { cookie, traceparent, tracestate } = call.headers
  const parent = traceparent === undefined ? undefined : readTraceParent(traceparent, tracestate)
  const ecid = parent?.traceId ?? randomTrace()
  const begun = now()
  return new OpenTransaction({
    id: randomUUID(),
    begun,
    sessionId: readSessionId(cookie) ?? randomSession(),
    isSecure: call.isSecure,
    ecid,
    parent,
    trace: tracing?.begin(parent, ecid, begun),
    timeline: new Timeline(begun, now),
    revision: catalog?.revision,
    rid: '0', // the root of its execution context: no request is a part of another one here
  })
}

type HeaderValue = string | string[] | undefined

/** The first JSESSIONID in the gateway's form: 24 random bytes in base64url. */
function readSessionId(cookie: HeaderValue): string | undefined {
  if (typeof cookie !== 'string') return undefined
  return /(?:^|;)[ \t]*JSESSIONID=([\w-]{32})[ \t]*(?:;|$)/.exec(cookie)?.[1]
}

const randomSession = openRandomTexts(24, 'base64url')
const randomTrace = openRandomTexts(16, 'hex')
