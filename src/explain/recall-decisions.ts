/** What each step decided about an answered call: the facts recorded before a refusal show which step refused. */
import type { RefusalCode } from '../model/refusal.ts'
import { type Step, steps } from '../model/step.ts'
import { type Decision, keptText, replayText } from './explain-call.ts'

/** What each step found; undefined if it is unknown. */
export interface RecordedCall {
  readonly refusal: RefusalCode | undefined
  readonly reason: string | undefined
  readonly status: number
  readonly isCached: boolean | undefined
  readonly isReplay: boolean
  readonly isKept?: boolean | undefined
  readonly operator: string | undefined
  readonly found: Partial<Record<'target' | 'operation' | 'authentication' | 'permission' | 'uri', string | undefined>>
  /** Of a refusal. */
  readonly details?: Partial<Record<Step, readonly string[]>>
}

export function recallDecisions(call: RecordedCall): readonly Decision[] {
  const { refusal, reason = '', status, isCached, isReplay, isKept, found, details } = call
  if (found.target === undefined && refusal === undefined)
    return [{ step: 'target', outcome: 'passed', text: 'no operation was asked for' }]
  const passed: Partial<Record<Step, string | undefined>> = {
    ...found,
    permission: refusal === 'permissionDenied' ? undefined : found.permission,
    cache: isCached === undefined ? undefined : isCached ? 'has answered' : 'had no response',
    idempotency: isReplay ? replayText : isKept ? keptText : undefined,
    handler: refusal
      ? undefined
      : isCached || isReplay
        ? 'not run'
        : found.operation === undefined
          ? undefined
          : `answered ${status}`,
  }
  let isRefused = false
  return stepsOf(call).map((step): Decision => {
    const text = passed[step]
    if (isRefused) return { step, outcome: 'not reached', text: '' }
    if (text !== undefined) return { step, outcome: text === 'not run' ? text : 'passed', text }
    if (refusal === undefined) return { step, outcome: 'not reached', text: '' }
    isRefused = true
    const outcome = step === 'handler' ? 'failed' : 'refused'
    return { step, outcome, refusal, text: reason, details: details?.[step] ?? [] }
  })
}

/** Limits by address come before authentication, the others after it. */
function stepsOf({ refusal, operator, isReplay, isKept = false }: RecordedCall): readonly Step[] {
  const hasKey = isReplay || isKept || refusal?.startsWith('idempotencyKey') === true
  const taken = steps.filter((step) => step !== 'address' && step !== 'limits' && (step !== 'idempotency' || hasKey))
  if (refusal !== 'rateLimited') return taken
  return taken.toSpliced(taken.indexOf('authentication') + (operator === undefined ? 0 : 1), 0, 'limits')
}
