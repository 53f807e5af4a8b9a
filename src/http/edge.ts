/** What every connection needs of the gateway, and the answers that the edge itself gives (specification 4.13, 7.5). */
import { openOnceAMinute } from '../base/once.ts'
import type { Catalog } from '../configuration/catalog.ts'
import { type Call, emptyBody, type Reply } from '../model/call.ts'
import type { MemoryBudget } from '../model/memory-budget.ts'
import type { Observation, Observe } from '../model/observation.ts'
import { methods } from '../model/operation-terms.ts'
import { Refusal } from '../model/refusal.ts'
import type { Limits, Settings } from '../settings.ts'
import { beginTransaction } from '../steps/begin-transaction.ts'
import { asRefusal, buildRefusal } from '../steps/build-refusal.ts'
import { buildReply, commonHeaderLines } from '../steps/build-reply.ts'
import type { ClientAuthorities } from '../tls/client-certificate.ts'
import type { FramingProblem, Request } from './head.ts'
import type { Clock } from './timeouts.ts'

export interface EdgeGateway {
  readonly settings: Settings
  readonly catalog?: Pick<Catalog, 'revision'>
  readonly observe: Observe
  /** Undefined: no memory limit. */
  readonly memory?: MemoryBudget
  now(): number
}

export interface Edge {
  readonly gateway: EdgeGateway
  readonly limits: Limits
  readonly memory: MemoryBudget
  readonly answer: (call: Call) => Promise<Reply>
  readonly clock: Clock
  /** Undefined: no certificate is taken from a header. */
  readonly authorities?: ClientAuthorities | undefined
  /** The next reply of a connection is its last. */
  isStopping: boolean
  /** The stop also closes idle connections. */
  closesIdle: boolean
}

/** Framing errors and `OPTIONS *` are answered here, everything else by the pipeline. */
export function dispatch({ problem, target }: Request, call: Call, { answer, gateway }: Edge): Reply | Promise<Reply> {
  if (problem) return refuseFraming(problem, call, gateway)
  return target === '*' ? answerAsterisk(call, gateway) : answer(call)
}

/** The reply to an error that was thrown outside of the pipeline; one that is no `Refusal` is `unexpected`. */
export function refuse(error: unknown, call: Call, gateway: EdgeGateway): Reply {
  const { settings, now } = gateway
  const observe = (observation: Observation) => observeSafely(gateway, observation)
  return buildRefusal(asRefusal(error), call, beginTransaction(call, gateway), { settings, observe, now })
}

/** Framing errors that are answered without a body; 414, 431 and 503 are refusals of the table. */
const statuses = { malformed: 400, timedOut: 408, version: 505 }

function refuseFraming({ fault, reason }: FramingProblem, call: Call, gateway: EdgeGateway): Reply {
  if (fault === 'uriTooLong' || fault === 'headersTooLarge' || fault === 'overloaded')
    return refuse(new Refusal(fault, reason), call, gateway)
  const status = statuses[fault]
  const transaction = beginTransaction(call, gateway)
  const detail = { status, transactionId: transaction.id, remoteAddress: call.remoteAddress }
  const message = `Request refused: ${reason}`
  observeSafely(gateway, { kind: 'note', level: 'warning', transaction, message, detail })
  return { status, headers: [], common: commonHeaderLines(transaction, gateway), body: emptyBody }
}

/** `OPTIONS *` asks about the gateway as a whole. */
function answerAsterisk(call: Call, gateway: EdgeGateway): Reply {
  const headers = ['allow', [...methods, 'OPTIONS'].join(', ')]
  return buildReply({ status: 204, headers, body: emptyBody }, call, beginTransaction(call, gateway), gateway)
}

/** A failing observer must not end the process. */
export function observeSafely({ observe }: Pick<EdgeGateway, 'observe'>, observation: Observation): void {
  try {
    observe(observation)
  } catch {
    // An error of an observer cannot be observed.
  }
}

/** For observations that clients could cause at any rate: at most once a minute. */
export function observeRarely(gateway: Pick<EdgeGateway, 'observe'>): (kind: string, observation: Observation) => void {
  const { isDue } = openOnceAMinute(() => performance.now())
  return (kind, observation) => {
    if (isDue(kind)) observeSafely(gateway, observation)
  }
}
