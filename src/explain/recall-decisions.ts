/** What each step of a call decided: the steps before the one that answered or refused it have passed. */
import type { Gateway } from '../gateway.ts'
import { explainArrival } from '../model/arrival.ts'
import type { Call } from '../model/call.ts'
import { type AnsweredCall, type CallRecord, recordCall } from '../model/call-record.ts'
import type { Operation } from '../model/operation.ts'
import type { RefusalCode } from '../model/refusal.ts'
import { type DecidedStep, type Step, type StepOutcome, steps } from '../model/step.ts'
import type { Transaction } from '../model/transaction.ts'
import { findNotRun } from './open-trial.ts'
import {
  type Finding,
  reportOperation,
  reportOperator,
  reportPermission,
  reportRateLimit,
  reportTarget,
  reportUri,
} from './report-steps.ts'

export interface Decision {
  readonly step: DecidedStep
  readonly outcome: StepOutcome
  readonly refusal?: RefusalCode
  /** The decision; for a refusal the reason, which the caller does not get. */
  readonly text: string
  readonly details?: readonly string[]
}

export type Findings = Partial<Record<Step, Finding | undefined>>

export interface RecalledCall extends Pick<CallRecord, 'endedBy' | 'status'> {
  readonly isReplayable?: CallRecord['isReplayable']
  readonly refusal?: RefusalCode | undefined
  /** Why the call was refused, as the log has it. */
  readonly reason?: string | undefined
  readonly operator?: string | undefined
  readonly found: Findings
  readonly handler?: Operation['handler'] | undefined
}

export function finding(text: string | undefined): Finding | undefined {
  return text === undefined ? undefined : { text }
}

export function recallDecisions(call: RecalledCall): readonly Decision[] {
  const order = inOrder(call)
  const end = order.indexOf(call.endedBy)
  return order.flatMap((step, at) =>
    at < end ? pass(step, call) : at > end ? leave(step, call) : conclude(step, call),
  )
}

/** Limits by address, and of the processor, come before the others. */
function inOrder({ endedBy, operator }: RecalledCall): readonly Step[] {
  if (endedBy !== 'limits' || operator !== undefined) return steps
  const others: readonly Step[] = steps.filter((step) => step !== 'limits')
  return others.toSpliced(others.indexOf('operation') + 1, 0, 'limits')
}

/** Reported only with a finding, or if they end the call. */
const quiet: ReadonlySet<Step> = new Set(['origin', 'limits', 'idempotency', 'message', 'reply'])

const replayText = 'the first answer to this Idempotency-Key was repeated'
const keptText = 'the answer is kept: a repeat with this Idempotency-Key gets it'
const answered: Partial<Record<Step, string>> = {
  target: 'no operation was asked for',
  operation: 'OPTIONS is answered',
  cache: 'has answered',
  idempotency: replayText,
}
const handlerNotRun: Partial<Record<Step, string>> = { cache: 'the cache has answered', idempotency: replayText }

function pass(step: Step, { found, isReplayable }: RecalledCall): readonly Decision[] {
  const kept = step === 'idempotency' && isReplayable ? keptText : undefined
  const text = kept ?? (step === 'cache' ? 'had no response' : '')
  return quiet.has(step) && !found[step] && !kept
    ? []
    : [{ step, outcome: 'passed', ...withFinding(text, found[step]) }]
}

function conclude(step: Step, { refusal, reason = '', status, found, handler }: RecalledCall): readonly Decision[] {
  if (refusal) {
    const outcome = step === 'handler' || step === 'reply' ? 'failed' : 'refused'
    return [{ step, outcome, refusal, ...withFinding('', found[step]), text: reason }]
  }
  if (step !== 'handler') return [{ step, outcome: 'passed', ...withFinding(answered[step] ?? '', found[step]) }]
  const notRun = handler && findNotRun({ handler })
  if (notRun !== undefined) return [{ step, outcome: 'not run', text: notRun }]
  return [{ step, outcome: 'passed', text: handler ? `${handler.name} answered ${status}` : `answered ${status}` }]
}

function leave(step: Step, { refusal, endedBy }: RecalledCall): readonly Decision[] {
  if (refusal) return quiet.has(step) ? [] : [{ step, outcome: 'not reached', text: '' }]
  const text = handlerNotRun[endedBy]
  return step === 'handler' && text ? [{ step, outcome: 'not run', text }] : []
}

export function withFinding(text: string, found: Finding | undefined): Pick<Decision, 'text' | 'details'> {
  const { details = [] } = found ?? {}
  return { text: found?.text ?? text, ...(details.length > 0 && { details }) }
}

/**
 * Of a call that this process has just answered.
 * @param namedBy how its operator was chosen, if it was not authenticated
 * @param reason of its refusal, without secrets
 */
export function decisionsOf(
  answered: AnsweredCall,
  gateway: Pick<Gateway, 'settings' | 'catalog'>,
  namedBy: string | undefined,
  reason: string | undefined,
): readonly Decision[] {
  const { call, transaction } = answered
  const { operation, operator } = transaction
  const record = recordCall(answered)
  const decisions = recallDecisions({
    ...record,
    refusal: record.refusal?.code,
    reason,
    operator: operator?.id,
    found: collectFindings(call, transaction, record, gateway, namedBy),
    handler: operation?.handler,
  })
  return [...explainAddress(call, gateway), ...decisions]
}

export function explainAddress(call: Call, { settings: { proxies } }: Pick<Gateway, 'settings'>): readonly Decision[] {
  return proxies ? [{ step: 'address', outcome: 'passed', text: explainArrival(call, proxies) }] : []
}

export function collectFindings(
  call: Call,
  { target, operation, operator, uri, rateLimit }: Transaction,
  { endedBy, refusal }: Pick<CallRecord, 'endedBy' | 'refusal'>,
  { catalog }: Pick<Gateway, 'catalog'>,
  namedBy: string | undefined,
): Findings {
  const aimed = target?.kind === 'operation' ? target : undefined
  return {
    target: target && reportTarget(target),
    operation: aimed && (operation || refusal) && reportOperation(operation, aimed, { catalog }),
    authentication: operation && reportOperator(operator, call, operation, namedBy),
    limits: endedBy === 'limits' ? undefined : rateLimit && reportRateLimit(rateLimit),
    permission: operation && operator && reportPermission(operator, operation),
    uri: aimed && operation && reportUri(uri, aimed, operation),
  }
}
