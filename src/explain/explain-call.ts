/**
 * What each step decides about a call, without running its handler (specification 15.3): the pipeline itself runs, with
 * a transaction that ends it where the handler would begin.
 */
import { type Gateway, respond } from '../gateway.ts'
import type { Call } from '../model/call.ts'
import { findLastStep } from '../model/call-record.ts'
import type { SpooledRequest } from '../model/content/request-message.ts'
import { Refusal } from '../model/refusal.ts'
import { type Step, steps } from '../model/step.ts'
import { OpenTransaction, type ResultOf } from '../model/transaction.ts'
import type { UriDocument } from '../model/uri/uri-document.ts'
import { beginTransaction } from '../steps/begin-transaction.ts'
import { bindUri } from '../steps/bind-uri.ts'
import { asRefusal } from '../steps/build-refusal.ts'
import {
  collectFindings,
  type Decision,
  explainAddress,
  type Findings,
  recallDecisions,
  withFinding,
} from './recall-decisions.ts'
import type { Finding } from './report-steps.ts'

export interface Explanation {
  readonly decisions: readonly Decision[]
  /** The first refusal: the caller gets this one. */
  readonly refusal: Refusal | undefined
  readonly transaction: OpenTransaction
}

/** The request is complete, and its handler would run. */
const handlerReached = Symbol('handler reached')

class ExplainedTransaction extends OpenTransaction {
  key: Parameters<Gateway['idempotency']['find']>[0] | undefined

  override endStep<Name extends Step, Value extends ResultOf<Name>>(step: Name, value: Value): Value {
    super.endStep(step, value)
    if (step === 'idempotency') this.key = value as typeof this.key
    if (step === 'message') throw handlerReached
    return value
  }

  async close(): Promise<void> {
    for (const release of this.releases.splice(0)) release()
    await (this.message as SpooledRequest | undefined)?.close()
  }
}

/** @param namedBy how the operator was chosen, if it was not authenticated */
export async function explainCall(call: Call, gateway: Gateway, namedBy?: string): Promise<Explanation> {
  const transaction = new ExplainedTransaction(beginTransaction(call, gateway))
  try {
    const met = await findRefusal(call, transaction, gateway)
    const isPlaced = !met || steps.indexOf(met.step ?? transaction.step) > steps.indexOf('origin')
    const limits = isPlaced ? await gateway.limits.explain(call, transaction) : undefined
    const refusal = limits instanceof Refusal ? limits : met
    const endedBy = findLastStep(transaction, undefined, refusal)
    const uri = bind(transaction)
    const found: Findings = {
      ...collectFindings(
        call,
        { ...transaction, uri: uri instanceof Refusal ? undefined : uri },
        { endedBy, refusal },
        gateway,
        namedBy,
      ),
      limits: limits instanceof Refusal ? undefined : limits,
      cache: explainCache(transaction, gateway),
      idempotency: await explainKey(call, transaction, gateway),
    }
    const { operator } = transaction
    const told = { endedBy, status: 0, refusal: refusal?.code, reason: refusal?.message, operator: operator?.id, found }
    /** A step after the refusal, where what it needs is known. */
    const foresee = (decision: Decision): Decision => {
      const { step } = decision
      if (decision.outcome !== 'not reached' || step === 'address') return decision
      const later = met && step === (met.step ?? transaction.step) ? met : step === 'uri' ? uri : undefined
      if (later instanceof Refusal)
        return { ...decision, outcome: 'would refuse', refusal: later.code, ...withFinding(later.message, found[step]) }
      return found[step]?.text === undefined
        ? decision
        : { ...decision, outcome: 'would pass', ...withFinding('', found[step]) }
    }
    const decisions = recallDecisions(told)
      .filter(({ step }) => step !== 'handler')
      .map(foresee)
    return { decisions: [...explainAddress(call, gateway), ...decisions], refusal, transaction }
  } finally {
    await transaction.close()
  }
}

async function findRefusal(
  call: Call,
  transaction: ExplainedTransaction,
  gateway: Gateway,
): Promise<Refusal | undefined> {
  try {
    await respond(call, transaction, gateway)
  } catch (error) {
    if (error !== handlerReached) return asRefusal(error)
  }
  return undefined
}

/** Also of a call that was refused before its values were read. */
function bind({ target, operation, uri }: OpenTransaction): UriDocument | Refusal | undefined {
  if (uri || !operation || target?.kind !== 'operation') return uri
  try {
    return bindUri(target, operation)
  } catch (error) {
    return asRefusal(error)
  }
}

function explainCache({ operation, cached, isCached }: OpenTransaction, { restCache }: Gateway): Finding | undefined {
  if (isCached === undefined || !operation) return undefined
  if (cached) return { text: `answers ${cached.status}, the handler does not run` }
  if (operation.method !== 'GET') return { text: 'only GET is cached' }
  const hasCached = restCache.knows(operation.id)
  return { text: hasCached ? 'no unexpired response for this URL' : 'the operation has cached nothing yet' }
}

async function explainKey(
  call: Call,
  { key }: ExplainedTransaction,
  { idempotency }: Gateway,
): Promise<Finding | undefined> {
  if (!key)
    return call.headers['idempotency-key'] === undefined ? undefined : { text: 'the Idempotency-Key is ignored' }
  const kept = await idempotency.find(key).catch(() => undefined)
  return {
    text: kept
      ? 'an answer is kept: the same request gets it, and the handler does not run'
      : 'no answer is kept: the handler runs',
  }
}
