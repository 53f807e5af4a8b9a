/** What each step of an answered call decided: the facts recorded before a refusal show which step refused. */
import type { Gateway } from '../gateway.ts'
import { explainArrival } from '../model/arrival.ts'
import type { Answered } from '../model/observation.ts'
import type { Operation } from '../model/operation.ts'
import type { RefusalCode } from '../model/refusal.ts'
import { type Step, steps } from '../model/step.ts'
import type { Decision } from './explain-call.ts'
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

type Recorded = 'target' | 'operation' | 'authentication' | 'limits' | 'permission' | 'uri'

export interface RecordedCall {
  readonly refusal: RefusalCode | undefined
  /** Of the refusal. */
  readonly reason: string | undefined
  readonly status: number
  readonly isCached: boolean | undefined
  readonly isReplay: boolean
  readonly isKept?: boolean | undefined
  readonly operator: string | undefined
  /** What each step found; undefined if it was not reached. */
  readonly found: Partial<Record<Recorded, Finding | undefined>>
  readonly handler?: Operation['handler']
}

export function finding(text: string | undefined): Finding | undefined {
  return text === undefined ? undefined : { text }
}

export function recallDecisions(call: RecordedCall): readonly Decision[] {
  const { refusal, reason = '', isCached, isReplay, isKept, found } = call
  if (found.target === undefined && refusal === undefined)
    return [{ step: 'target', outcome: 'passed', text: 'no operation was asked for' }]
  const findings: Partial<Record<Step, Finding | undefined>> = {
    ...found,
    cache: isCached === undefined ? undefined : { text: isCached ? 'has answered' : 'had no response' },
    idempotency: isReplay ? { text: replayText } : isKept ? { text: keptText } : undefined,
  }
  const decisions: Decision[] = []
  for (const step of stepsOf(call)) {
    const { text, details = [] } = findings[step] ?? {}
    const more = details.length > 0 ? { details } : {}
    if (decisions.some(({ outcome }) => outcome === 'refused'))
      decisions.push({ step, outcome: 'not reached', text: '' })
    else if (text !== undefined) decisions.push({ step, outcome: 'passed', text, ...more })
    else if (step === 'handler') decisions.push(decideHandler(call))
    else if (refusal === undefined) decisions.push({ step, outcome: 'not reached', text: '' })
    else decisions.push({ step, outcome: 'refused', refusal, text: reason, ...more })
  }
  return decisions
}

const replayText = 'the first answer to this Idempotency-Key was repeated'
const keptText = 'the answer is kept: a repeat with this Idempotency-Key gets it'

function decideHandler(call: RecordedCall): Decision {
  const { refusal, reason = '', status, isCached, isReplay, found, handler } = call
  const step = 'handler'
  if (refusal) return { step, outcome: 'failed', refusal, text: reason }
  if (isCached) return { step, outcome: 'not run', text: 'the cache has answered' }
  if (isReplay) return { step, outcome: 'not run', text: replayText }
  if (found.operation === undefined) return { step, outcome: 'not reached', text: '' }
  const notRun = handler && findNotRun({ handler })
  if (notRun !== undefined) return { step, outcome: 'not run', text: notRun }
  return { step, outcome: 'passed', text: handler ? `${handler.name} answered ${status}` : `answered ${status}` }
}

/** A refusal of one of these counts as the handler's. */
const onlyTimed: ReadonlySet<Step> = new Set(['message', 'reply'])

/** Limits by address come before authentication, the others after it. */
function stepsOf({ refusal, operator, isReplay, isKept = false, found }: RecordedCall): readonly Step[] {
  const hasKey = isReplay || isKept || refusal?.startsWith('idempotencyKey') === true
  const taken = steps.filter((step) => {
    if (step === 'limits') return found.limits !== undefined
    return !onlyTimed.has(step) && (step !== 'idempotency' || hasKey)
  })
  if (refusal !== 'rateLimited') return taken
  return taken.toSpliced(taken.indexOf('authentication') + (operator === undefined ? 0 : 1), 0, 'limits')
}

/** Of a call that this process has just answered. @param namedBy how its operator was chosen, if it was not authenticated @param reason of its refusal, without secrets */
export function decisionsOf(
  { call, transaction, reply, refusal }: Answered,
  { settings, catalog }: Pick<Gateway, 'settings' | 'catalog'>,
  namedBy: string | undefined,
  reason: string | undefined,
): readonly Decision[] {
  const { target, operation, operator, uri, isCached, rateLimit } = transaction
  const { proxies } = settings
  const arrived: Decision[] = proxies
    ? [{ step: 'address', outcome: 'passed', text: explainArrival(call, proxies) }]
    : []
  const aimed = target?.kind === 'operation' ? target : undefined
  const reached = target && reportTarget(target)
  if (reached && !refusal && !aimed) return [...arrived, { step: 'target', outcome: 'passed', ...reached }]
  if (reached && !refusal && !operation)
    return [
      ...arrived,
      { step: 'target', outcome: 'passed', ...reached },
      { step: 'operation', outcome: 'passed', text: 'OPTIONS is answered' },
    ]
  const decisions = recallDecisions({
    refusal: refusal?.code,
    reason,
    status: reply.status,
    isCached,
    isReplay: reply.replay !== undefined,
    isKept: reply.isKept,
    operator: operator?.id,
    found: {
      target: reached,
      operation: aimed && reportOperation(operation, aimed, { catalog }),
      authentication: operation && reportOperator(operator, call, operation, namedBy),
      limits: refusal?.code === 'rateLimited' ? undefined : rateLimit && reportRateLimit(rateLimit),
      permission: operation && operator && reportPermission(operator, operation),
      uri: aimed && operation && reportUri(uri, aimed, operation),
    },
    ...(operation && { handler: operation.handler }),
  })
  return [...arrived, ...decisions]
}
