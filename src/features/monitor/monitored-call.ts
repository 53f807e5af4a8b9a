/**
 * An ended call for the monitor (specification 21.1, 21.2): first the references available at its end, later the same
 * as text without secrets.
 */

import { showLine, showLines } from '../../base/escape.ts'
import { type Call, listHeaders, listRequestHeaders, type Reply } from '../../model/call.ts'
import type { AnsweredCall } from '../../model/call-record.ts'
import { type CallRecord, durationOf, listSteps, readableOf } from '../../model/call-record.ts'
import type { JobOutcome, JobRun } from '../../model/observation.ts'
import { describeStream } from '../../observe/log-entry.ts'
import type { Masking } from '../../observe/masking/masking.ts'
import { showBody } from '../../observe/masking/show-body.ts'
import type { MonitoredMessage, MonitoredTimeline, MonitoredTransaction } from './monitored-transaction.ts'

/** References, and only the recorded part of a body: the whole would stay in memory. */
export interface HeldCall extends Omit<CallRecord, 'target'> {
  /** If the operation's log detail keeps messages. */
  readonly messages?: HeldMessages | undefined
  /** If it is a run of a job instead of a call. */
  readonly run?: Pick<JobRun, 'message' | 'error'>
}

interface HeldMessages {
  readonly request: Call['headers']
  readonly response: Pick<Reply, 'headers' | 'common'>
  readonly bodies: { readonly request: HeldBody; readonly response: HeldBody } | undefined
}

interface HeldBody {
  readonly bytes: Buffer | undefined
  /** Size of the whole body. */
  readonly size: number
}

/** Holds a run as a transaction whose method is JOB and whose URL is the name of the job. */
export function holdRun({ transaction, outcome, ended, message, error }: JobRun): HeldCall {
  return {
    id: transaction.id,
    begun: transaction.begun,
    ended,
    remoteAddress: '',
    proxy: undefined,
    method: 'JOB',
    url: transaction.job,
    trial: undefined,
    status: runStatuses[outcome],
    outcome: outcome === 'succeeded' ? 'served' : 'failed',
    refusal: undefined,
    endedBy: 'handler',
    streamed: undefined,
    node: undefined,
    ...readableOf(transaction),
    operator: undefined,
    isCached: undefined,
    isSlow: false,
    replay: undefined,
    isReplayable: undefined,
    revision: transaction.revision,
    timeline: undefined,
    run: { message, error },
  }
}

const runStatuses: Readonly<Record<JobOutcome, number>> = {
  succeeded: 200,
  failed: 500,
  timedOut: 504,
  lost: 503,
  stopped: 503,
}

/** Begins the reason of a call of a draft. */
export const trialReason = 'trial of the draft'

/** The reason of a call that was answered with the first answer to its Idempotency-Key. */
const replayReasons = {
  whole: 'the first answer to its Idempotency-Key, repeated',
  truncated: 'the first answer to its Idempotency-Key, repeated without its body',
} as const

/** @param bodyBytes of each body @returns undefined if the operation's log detail keeps none */
export function holdMessages(
  { call, transaction, reply, streamed }: AnsweredCall,
  bodyBytes: number,
): HeldMessages | undefined {
  const detail = transaction.operation?.logDetail
  if (detail === undefined || detail === 'none') return undefined
  const { bytes, file } = reply.body
  const bodies = {
    request: hold(transaction.message?.loggedBody, Number(call.headers['content-length']), bodyBytes),
    response: hold(file || streamed ? undefined : bytes, streamed?.bytes ?? file?.size ?? bytes.length, bodyBytes),
  }
  return {
    request: call.headers,
    response: { headers: reply.headers, common: reply.common },
    bodies: detail === 'headerAndDetail' ? bodies : undefined,
  }
}

function hold(bytes: Buffer | undefined, size: number, max: number): HeldBody {
  return { bytes: bytes && Buffer.from(bytes.subarray(0, max)), size: size || (bytes?.length ?? 0) }
}

/** Its approximate memory in bytes. */
export function sizeOf({ bodies }: HeldMessages): number {
  return 2000 + (bodies?.request.bytes?.length ?? 0) + (bodies?.response.bytes?.length ?? 0)
}

export function describeCall(ended: HeldCall, instance: string, masking: Masking): MonitoredTransaction {
  const { refusal, streamed, messages, run } = ended
  const failure = run?.error ? masking.reason(run.message, run.error) : refusal && masking.refusal(refusal)
  const ending = failure ?? (streamed ? describeStream(streamed) : ended.replay && replayReasons[ended.replay])
  const tried = ended.trial === undefined ? [] : [`${trialReason} ${JSON.stringify(ended.trial)}`]
  const reason = [...tried, ...(ending ? [ending] : [])].join(': ')
  const describe = (
    headers: readonly [name: string, value: string][],
    body: HeldBody | undefined,
  ): MonitoredMessage => ({
    headers: headers.slice(0, maxHeaders).map(([name, value]) => {
      return [showLine(name, 200), showLine(masking.header(name, value, ended), maxText)]
    }),
    body: body && describeBody(body, (text) => masking.body(text, ended)),
  })
  return {
    transactionId: ended.id,
    time: Math.floor(ended.ended),
    durationMs: durationOf(ended),
    method: showLine(ended.method, 20),
    url: showLine(run ? ended.url : masking.url(ended.url, ended), maxText),
    httpStatus: ended.status,
    outcome: ended.outcome,
    refusal: refusal?.code,
    endedBy: ended.endedBy,
    reason: reason === '' ? undefined : showLine(reason, maxText),
    node: ended.node,
    operation: ended.operation?.id,
    operator: ended.operator && showLine(ended.operator.id, 60),
    isCached: ended.isCached,
    isSlow: ended.isSlow,
    remoteAddress: showLine(ended.remoteAddress, 60),
    revision: ended.revision,
    instance,
    timeline: ended.timeline && measureTimeline(ended),
    messages: messages && {
      request: describe(listRequestHeaders({ headers: messages.request }), messages.bodies?.request),
      response: describe(listHeaders(messages.response), messages.bodies?.response),
    },
  }
}

/** @returns milliseconds from the beginning of the call, to the microsecond */
function measureTimeline(ended: HeldCall): MonitoredTimeline {
  const since = (time: number) => Math.max(0, Math.round((time - ended.begun) * 1000) / 1000)
  const { waits = [] } = ended.timeline ?? {}
  return {
    steps: listSteps(ended).map(({ step, until }) => [step, since(until)]),
    waits: waits.map(({ kind, summary, from, until, failure }) => {
      return [kind, showLine(summary, 200), since(from), since(until), failure]
    }),
  }
}

const maxHeaders = 200
const maxText = 2000

function describeBody({ bytes, size }: HeldBody, mask: (text: string) => string): string {
  if (!bytes) return size > 0 ? `(${size} bytes that were not kept)` : ''
  return showLines(showBody(bytes, size, bytes.length, mask), 2 * bytes.length + 200)
}
