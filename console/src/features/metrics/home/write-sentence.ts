/** The sentence that Home begins with: the worst that is known of the last five minutes (specification 43.15). */
import { type Activation, type Begin, findCause } from './find-begin.ts'

export interface SentenceAlert {
  readonly name: string
  readonly title: string
  readonly severity: 'critical' | 'warning' | 'info'
  readonly operation: string | null
  readonly instance: string | null
  readonly began: string
  readonly detail: string
  readonly silencedUntil: string | null
}

interface Calls {
  readonly calls: number
  readonly refused: number
  readonly failed: number
}

export interface OperationCalls extends Calls {
  readonly operation: string
}

export interface SentenceFacts {
  readonly isStoreAway: boolean
  /** How many the configuration has. */
  readonly operations: number
  /** Calls of the last five minutes; in `called`, operations with the most failures come first. */
  readonly total: Calls
  readonly called: readonly OperationCalls[]
  /** The active ones. */
  readonly alerts: readonly SentenceAlert[]
  /** The newest first. */
  readonly activations: readonly Activation[]
  /** When the failures of the worst operation began; undefined if it is not known. */
  readonly begin: Begin | undefined
}

export interface Sentence {
  readonly tone: 'served' | 'refused' | 'failed' | 'slow'
  /** `1 of 13 operations fails` */
  readonly words: string
  /** ISO 8601. */
  readonly since?: string
  /** The revision with which it began, and the one with which it ended. */
  readonly cause?: Activation
  readonly end?: Activation
  /** The revision to roll back to. */
  readonly rollBackTo?: number
  /** The operations that the sentence is about. */
  readonly operations?: readonly string[]
  readonly instance?: string
  readonly detail?: string
  /** ISO 8601. */
  readonly silencedUntil?: string
}

/** As `ig.alerts.failures` by default: fewer failures are said in another way. */
const failingShare = 0.05
const recently = 'in the last 5 minutes'

export function writeSentence(facts: SentenceFacts): Sentence {
  const { isStoreAway, total } = facts
  if (isStoreAway)
    return {
      tone: 'failed',
      words: 'The database does not answer',
      detail: 'The gateway still answers calls that need no database.',
    }
  return sayWorst(facts, false) ?? sayWorst(facts, true) ?? sayTotal(total)
}

/** @param isSilenced of what is silenced, in grey */
function sayWorst(facts: SentenceFacts, isSilenced: boolean): Sentence | undefined {
  const { operations } = facts
  const active = facts.alerts.filter(
    ({ silencedUntil, severity }) => (silencedUntil !== null) === isSilenced && severity !== 'info',
  )
  const [silencedUntil] = active.flatMap(({ silencedUntil }) => silencedUntil ?? []).sort()
  const silence = (sentence: Sentence): Sentence =>
    silencedUntil === undefined ? sentence : { ...sentence, tone: 'served', silencedUntil }
  const missing = active.filter(({ name }) => name === 'GatewayMissing')
  if (missing.length > 0)
    return silence(
      ofAlerts(missing, missing.length === 1 ? '1 instance is missing' : `${missing.length} instances are missing`),
    )
  const failing = listFailing(facts, isSilenced)
  if (failing.length > 0) return silence(sayFailing(failing, facts))
  const critical = active.find(({ severity }) => severity === 'critical')
  if (critical) return silence(ofAlerts([critical], critical.title))
  const slow = active.filter(({ name }) => name === 'GatewaySlow')
  if (slow.length > 0) {
    const words = `${show(slow.length)} of ${count(operations, 'operation')} ${slow.length === 1 ? 'is' : 'are'} slow`
    return silence({ ...ofAlerts(slow, words), tone: 'slow' })
  }
  const [warning] = active
  return warning && silence(ofAlerts([warning], warning.title))
}

function sayTotal(total: Calls): Sentence {
  if (total.calls === 0) return { tone: 'served', words: `Nothing was called ${recently}` }
  if (total.failed > 0)
    return { tone: 'refused', words: `${show(total.failed)} of ${count(total.calls, 'call')} failed ${recently}` }
  if (total.refused === total.calls)
    return { tone: 'refused', words: `Nothing is served: ${count(total.calls, 'call')} refused ${recently}` }
  const refused = total.refused === 0 ? '' : `, ${show(total.refused)} refused`
  return {
    tone: 'served',
    words: 'Everything is served',
    detail: `${count(total.calls, 'call')} ${recently}${refused}`,
  }
}

/** The operation with the most failures of those that fail, and since when its alert is active. */
export function findWorst(facts: Pick<SentenceFacts, 'called' | 'alerts'>) {
  const worst = listFailing(facts, false)[0] ?? listFailing(facts, true)[0]
  const alert = facts.alerts.find((each) => isOfFailures(each) && each.operation === worst?.operation)
  return worst && { ...worst, since: alert?.began }
}

function sayFailing(failing: readonly OperationCalls[], facts: SentenceFacts): Sentence {
  const { activations, begin, operations } = facts
  const worst = findWorst(facts)
  const cause = begin && findCause(begin, activations)
  const [latest, previous] = activations
  const end = cause && latest && latest !== cause && Date.parse(latest.time) > begin.last ? latest : undefined
  const since = cause?.time ?? worst?.since ?? (begin && new Date(begin.from).toISOString())
  const verb = end ? 'failed' : failing.length === 1 ? 'fails' : 'fail'
  return {
    tone: end ? 'refused' : 'failed',
    words: `${show(failing.length)} of ${count(operations, 'operation')} ${verb}`,
    operations: failing.map(({ operation }) => operation),
    ...(worst && {
      detail: `${show(worst.failed)} of ${count(worst.calls - worst.refused, 'call')} failed ${recently}`,
    }),
    ...(since !== undefined && { since }),
    ...(cause && { cause }),
    ...(end && { end }),
    ...(cause && cause === latest && previous && { rollBackTo: previous.revision }),
  }
}

/** Those that fail, not those that only have failures. */
function listFailing(
  { called, alerts }: Pick<SentenceFacts, 'called' | 'alerts'>,
  isSilenced: boolean,
): readonly OperationCalls[] {
  const alertOf = (id: string) => alerts.find((alert) => isOfFailures(alert) && alert.operation === id)
  return called.filter(({ operation, calls, refused, failed }) => {
    if (failed === 0 || operation.startsWith('(')) return false
    const alert = alertOf(operation)
    const share = failed / (calls - refused)
    return alert ? (alert.silencedUntil !== null) === isSilenced : !isSilenced && share >= failingShare
  })
}

function isOfFailures({ name }: SentenceAlert): boolean {
  return name === 'GatewayFaults'
}

function ofAlerts(alerts: readonly SentenceAlert[], words: string): Sentence {
  const [first] = alerts.toSorted((one, other) => (one.began < other.began ? -1 : 1))
  const operations = alerts.flatMap(({ operation }) => operation ?? [])
  return {
    tone: alerts.some(({ severity }) => severity === 'critical') ? 'failed' : 'refused',
    words,
    ...(first && { since: first.began, detail: first.detail }),
    ...(first?.instance != null && { instance: first.instance }),
    ...(operations.length > 0 && { operations }),
  }
}

const show = (number: number) => number.toLocaleString('en')
const count = (number: number, one: string) => `${show(number)} ${one}${number === 1 ? '' : 's'}`
