/**
 * What is known of an answered call at its end, for whoever keeps it: the monitor and the recent transactions
 * (specification 15.2, 21.1). References only, and neither message nor body, which would stay in memory with it.
 */
import type { Reply, StreamEnd } from '../model/call.ts'
import type { Answered } from '../model/observation.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import type { Refusal } from '../model/refusal.ts'
import type { Target } from '../model/uri/target.ts'
import { type Known, knownOf } from './masking/masking.ts'

export interface CallRecord {
  readonly id: string
  readonly begun: number
  readonly ended: number
  readonly remoteAddress: string
  readonly proxy: string | undefined
  readonly method: string
  readonly url: string
  readonly known: Known
  readonly status: number
  readonly refusal: Refusal | undefined
  readonly streamed: StreamEnd | undefined
  readonly node: string | undefined
  /** Only if it was refused: the collector would copy a thousand targets. */
  readonly target: Target | undefined
  readonly operation: Operation | undefined
  readonly operator: Operator | undefined
  readonly templateIndex: number | undefined
  readonly isCached: boolean | undefined
  readonly replay: Reply['replay']
  readonly isKept: boolean | undefined
  /** Of a draft. */
  readonly trial: string | undefined
  readonly revision: number | undefined
}

export function recordCall({ call, transaction, reply, refusal, streamed, trial, ended }: Answered): CallRecord {
  const { target, operation, operator, uri } = transaction
  return {
    id: transaction.id,
    begun: transaction.begun,
    ended,
    remoteAddress: call.remoteAddress,
    proxy: call.proxy,
    method: call.method,
    url: call.target,
    known: knownOf(transaction),
    status: reply.status,
    refusal,
    streamed,
    node: target?.node,
    target: refusal && target?.kind === 'operation' ? target : undefined,
    operation,
    operator,
    templateIndex: uri?.uriResourceIndex,
    isCached: transaction.isCached,
    replay: reply.replay,
    isKept: reply.isKept,
    trial,
    revision: transaction.revision,
  }
}

/** Milliseconds, to the hundredth. */
export function durationOf({ begun, ended }: Pick<CallRecord, 'begun' | 'ended'>): number {
  return Math.max(0, Math.round((ended - begun) * 100) / 100)
}
