/**
 * What is known of an answered call at its end, for logs, monitor and `ig explain`
 * (specification 8.5, 15.2, 21.1). References only, and neither message nor body, which would stay in memory with it.
 */
import type { Call, Reply, StreamEnd } from './call.ts'
import type { Operation } from './operation.ts'
import type { Operator } from './operator.ts'
import { type CallOutcome, outcomeOf, type Refusal, type RefusalCode } from './refusal.ts'
import type { Step } from './step.ts'
import type { Timeline } from './timeline.ts'
import type { Transaction } from './transaction.ts'
import type { Target } from './uri/target.ts'

/** A call ended. An observer that keeps it keeps its record only. */
export interface AnsweredCall {
  readonly kind: 'answered'
  readonly call: Call
  readonly transaction: Transaction
  readonly reply: Reply
  /** If it was refused, or if its stream failed after the status was sent. */
  readonly refusal?: Refusal | undefined
  /** If a handler streamed the body. */
  readonly streamed?: StreamEnd | undefined
  /** Epoch milliseconds with a fraction, as `transaction.begun`: read once for all observers. */
  readonly ended: number
  /** The title of the draft, if one was tried: not counted (specification 41.5). */
  readonly trial?: string
}

/** The facts about a call that decide what of it is readable. */
export interface ReadableParts {
  readonly operation: Operation | undefined
  /** The matching template; undefined if there is none, or no step has looked for one. */
  readonly templateIndex: number | undefined
  readonly hasTarget: boolean
}

export interface CallRecord extends ReadableParts {
  readonly id: string
  readonly begun: number
  readonly ended: number
  readonly remoteAddress: string
  readonly proxy: string | undefined
  readonly method: string
  readonly url: string
  readonly status: number
  readonly outcome: CallOutcome
  readonly refusal: Refusal | undefined
  /** The step that answered or refused. */
  readonly endedBy: Step
  readonly streamed: StreamEnd | undefined
  readonly node: string | undefined
  /** Only if it was refused: the garbage collector would copy a thousand targets. */
  readonly target: Target | undefined
  readonly operator: Operator | undefined
  readonly isCached: boolean | undefined
  readonly isSlow: boolean
  readonly replay: Reply['replay']
  readonly isReplayable: Reply['isReplayable']
  readonly trial: string | undefined
  readonly revision: number | undefined
  /** Undefined for a run of a job. */
  readonly timeline: Timeline | undefined
}

export function recordCall(answered: AnsweredCall): CallRecord {
  const { call, transaction, reply, refusal, streamed, ended, trial } = answered
  const { target, operation, operator, uri, isCached } = transaction
  return {
    id: transaction.id,
    begun: transaction.begun,
    ended,
    remoteAddress: call.remoteAddress,
    proxy: call.proxy,
    method: call.method,
    url: call.target,
    status: reply.status,
    outcome: outcomeOf(reply, refusal),
    refusal,
    endedBy: findLastStep(transaction, reply.replay, refusal),
    streamed,
    node: target?.node,
    target: refusal && target?.kind === 'operation' ? target : undefined,
    hasTarget: target?.kind === 'operation',
    operation,
    operator,
    templateIndex: uri?.uriResourceIndex,
    isCached,
    isSlow: isSlow(answered),
    replay: reply.replay,
    isReplayable: reply.isReplayable,
    trial,
    revision: transaction.revision,
    timeline: transaction.timeline,
  }
}

/** Whether it was served, but took longer than its operation allows. */
export function isSlow({ transaction: { operation, begun }, reply, refusal, ended }: AnsweredCall): boolean {
  const slowAfter = operation?.slowAfter
  return slowAfter !== undefined && ended - begun > slowAfter && outcomeOf(reply, refusal) === 'served'
}

/** The step that answered or refused. */
export function findLastStep(
  { target, operation, isCached, step }: Transaction,
  replay: Reply['replay'],
  refusal: Refusal | undefined,
): Step {
  if (refusal) return refusal.step ?? step ?? 'target'
  if (replay) return 'idempotency'
  if (isCached) return 'cache'
  return operation ? 'handler' : target?.kind === 'operation' ? 'operation' : 'target'
}

export interface TimedStep {
  readonly step: Step
  /** Epoch milliseconds with a fraction. */
  readonly from: number
  readonly until: number
  /** Only the step that refused has one. */
  readonly refusal?: RefusalCode | undefined
}

/** The steps that a call passed, and the one that ended it. */
export function listSteps({ timeline, begun, ended, endedBy, refusal, streamed }: TimedCall): readonly TimedStep[] {
  const { steps: passed = [], ends = [] } = timeline ?? {}
  const fromOf = (index: number) => ends[index - 1] ?? begun
  const last = refusal && !streamed ? endedBy : 'reply'
  return [
    ...passed.map((step, index) => ({ step, from: fromOf(index), until: ends[index] ?? ended })),
    { step: last, from: fromOf(passed.length), until: ended, refusal: refusal?.code },
  ]
}

type TimedCall = Pick<CallRecord, 'timeline' | 'begun' | 'ended' | 'endedBy' | 'refusal' | 'streamed'>

export function readableOf({ operation, uri, target }: Transaction): ReadableParts {
  return { operation, templateIndex: uri?.uriResourceIndex, hasTarget: target?.kind === 'operation' }
}

/** Milliseconds, to the hundredth. */
export function durationOf({ begun, ended }: Pick<CallRecord, 'begun' | 'ended'>): number {
  return Math.max(0, Math.round((ended - begun) * 100) / 100)
}
