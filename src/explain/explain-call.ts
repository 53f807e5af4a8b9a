/**
 * Reports what each step of the pipeline decides about a call, without running its handler (specification 15.3). It
 * calls the steps themselves, so the explanation cannot differ from a real call.
 */
import type { Gateway } from '../gateway.ts'
import { explainArrival } from '../model/arrival.ts'
import type { Call } from '../model/call.ts'
import type { Limit } from '../model/limit.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import type { Refusal, RefusalCode } from '../model/refusal.ts'
import type { Decided, Outcome, Step } from '../model/step.ts'
import type { Target } from '../model/uri/target.ts'
import { authenticate } from '../steps/authenticate.ts'
import { bindUri } from '../steps/bind-uri.ts'
import { describeMethods } from '../steps/describe-methods.ts'
import { findOperation } from '../steps/find-operation.ts'
import { readIdempotencyKey } from '../steps/read-idempotency-key.ts'
import { readTarget } from '../steps/read-target.ts'
import { requirePermission } from '../steps/require-permission.ts'
import { requirePlace } from '../steps/require-place.ts'
import { recallResponse } from '../steps/rest-cache.ts'
import { asRefusal } from '../steps/write-refusal.ts'
import { explainLimits } from './explain-limits.ts'
import {
  type Finding,
  reportOperation,
  reportOperator,
  reportPermission,
  reportTarget,
  reportUri,
} from './report-steps.ts'

export interface Decision {
  readonly step: Decided
  readonly outcome: Outcome
  readonly refusal?: RefusalCode
  /** The decision; for a refusal the reason, which the caller does not get. */
  readonly text: string
  readonly details?: readonly string[]
}

export interface Explanation {
  readonly decisions: readonly Decision[]
  /** The first refusal: the caller gets this one. */
  readonly refusal: Refusal | undefined
  readonly operation: Operation | undefined
  readonly operator: Operator | undefined
  readonly target: Target | undefined
}

/** @param namedBy how the operator was chosen, if it was not authenticated */
export async function explainCall(call: Call, gateway: Gateway, namedBy?: string): Promise<Explanation> {
  const { catalog } = gateway
  const decisions: Decision[] = []
  let refusal: Refusal | undefined
  const decide = async <Value>(
    step: Step,
    run: () => Value | Promise<Value>,
    report: (value: Value | undefined) => Finding,
  ): Promise<Value | undefined> => {
    const isReached = refusal === undefined
    try {
      const value = await run()
      decisions.push({ step, outcome: isReached ? 'passed' : 'would pass', text: '', ...report(value) })
      return value
    } catch (error) {
      const refused = asRefusal(error)
      const { details } = report(undefined)
      const outcome = isReached ? 'refused' : 'would refuse'
      decisions.push({ step, outcome, refusal: refused.code, text: refused.message, ...(details ? { details } : {}) })
      refusal ??= refused
      return undefined
    }
  }
  const skip = (step: Step) => decisions.push({ step, outcome: 'not reached', text: '' })
  const explained = (found: Partial<Explanation> = {}): Explanation => {
    return { decisions, refusal, operation: undefined, operator: undefined, target: undefined, ...found }
  }

  const { proxies } = gateway.settings
  if (proxies) decisions.push({ step: 'address', outcome: 'passed', text: explainArrival(call, proxies) })
  const directed = await decide(
    'target',
    () => readTarget(call, catalog, gateway),
    (found) => (found ? reportTarget(found) : {}),
  )
  if (directed && directed.kind !== 'operation') return explained()
  const target = directed
  if (call.method === 'OPTIONS' && target) {
    await decide(
      'operation',
      () => describeMethods(target, call, catalog, gateway),
      () => ({ text: 'OPTIONS is answered' }),
    )
    return explained({ target })
  }
  const operation = target
    ? await decide(
        'operation',
        () => findOperation(target, call.method, catalog, gateway),
        (found) => reportOperation(found, target, gateway),
      )
    : undefined
  if (!target) skip('operation')
  const meet = async (limits: readonly Limit[] = [], operatorId?: string) => {
    if (!operation || limits.length === 0) return
    const explain = () => explainLimits(limits, call, operation, operatorId, gateway)
    await decide('limits', explain, (finding) => finding ?? {})
  }
  const misplaced = operation && findRefusal(() => requirePlace(call, operation, gateway))
  if (!misplaced) await meet(operation?.limits?.ofAddress)
  const operator = operation
    ? await decide(
        'authentication',
        () => {
          if (misplaced) throw misplaced
          return authenticate(call, operation, catalog, gateway)
        },
        (found) => reportOperator(found, call, operation, namedBy),
      )
    : undefined
  if (operator && operation?.limits) {
    const { ofOperator, ofHandler } = operation.limits
    await meet([...new Set([...ofOperator, ...ofHandler])], operator.id)
  }
  if (!operation) skip('authentication')
  if (target && operation && operator) {
    const check = () => requirePermission(operator, operation)
    await decide('permission', check, () => reportPermission(operator, operation))
  } else skip('permission')
  if (target && operation)
    await decide(
      'uri',
      () => bindUri(target, operation),
      (found) => reportUri(found, target, operation),
    )
  else skip('uri')
  if (target && operation && operator && !refusal) {
    const cached = await recallResponse(call, target, operation, operator, gateway)
    const text = cached ? `answers ${cached.status}, the handler does not run` : reportCache(operation, gateway)
    decisions.push({ step: 'cache', outcome: 'passed', text })
  } else skip('cache')
  if (operation && operator && (call.headers['idempotency-key'] !== undefined || operation.idempotency === 'required'))
    await decide('idempotency', () => findKept(call, operation, operator, gateway), reportKept)
  return explained({ operation, operator, target })
}

function findRefusal(check: () => void): unknown {
  try {
    check()
    return undefined
  } catch (error) {
    return error
  }
}

async function findKept(call: Call, operation: Operation, operator: Operator, { idempotency }: Gateway) {
  const key = readIdempotencyKey(call, operation, operator)
  if (!key) return 'ignored'
  return (await idempotency.find(key).catch(() => undefined)) ? 'kept' : 'new'
}

const keptTexts = {
  ignored: 'the Idempotency-Key is ignored',
  kept: 'an answer is kept: the same request gets it, and the handler does not run',
  new: 'no answer is kept: the handler runs',
} as const

function reportKept(found: keyof typeof keptTexts | undefined): Finding {
  return { text: found ? keptTexts[found] : '' }
}

function reportCache({ id, method }: Operation, { restCache }: Gateway): string {
  if (method !== 'GET') return 'only GET is cached'
  return restCache.knows(id) ? 'no unexpired response for this URL' : 'the operation has cached nothing yet'
}
