/** A transaction of the monitor as the administration API answers it (specification 21.8, 21.14, 21.15). */
import { z } from 'zod'
import type { Caller } from '../../actions/action.ts'
import { hasRole } from '../../actions/roles.ts'
import { type decision, toTime } from '../../actions/schemas.ts'
import { finding, recallDecisions } from '../../explain/recall-decisions.ts'
import { findClaimed, hideClaimed } from '../../model/claimed-name.ts'
import { steps } from '../../model/step.ts'
import {
  isError,
  type ListedTransaction,
  type MonitoredMessage,
  type MonitoredTimeline,
} from './monitored-transaction.ts'

const span = { from: z.number(), until: z.number() }
export const timeline = z.object({
  steps: z.array(z.object({ step: z.enum(steps), ...span })).describe('The steps that ran, in order'),
  waits: z
    .array(
      z.object({
        kind: z.enum(['database', 'service']),
        summary: z.string().describe('`SELECT employee`, `GET https://rates.example`: without values'),
        ...span,
        failure: z.string().nullable().describe('SQLSTATE, or the name of the error'),
      }),
    )
    .describe('What its handler waited for, at most 100'),
})

export function describe({ endedBy: _, ...found }: ListedTransaction, { role }: Caller) {
  const { refusal = null, reason = '', node = null, operation = null, operator = null } = found
  const isShown = hasRole(role, 'operator')
  return {
    ...found,
    time: toTime(found.time),
    status: isError(found) ? ('Error' as const) : ('Done' as const),
    refusal,
    reason: (isShown ? reason : hideClaimed(reason)) || null,
    claimed: (isShown && findClaimed(reason)) || null,
    node,
    operation,
    operator,
    isCached: found.isCached ?? null,
    revision: found.revision ?? null,
  }
}

/** @param reason without what the caller may not see */
export function recall(found: ListedTransaction, reason: string | null): z.output<typeof decision>[] {
  const { node, operation, operator } = found
  if (found.method === 'JOB') return []
  const decisions = recallDecisions({
    ...found,
    status: found.httpStatus,
    reason: reason ?? undefined,
    found: {
      target: finding(node && `node ${node}`),
      operation: finding(operation),
      authentication: finding(operator),
    },
  })
  return decisions.map(({ details = [], ...rest }) => ({ ...rest, details: [...details] }))
}

export function describeTimeline({ steps, waits }: MonitoredTimeline) {
  return {
    steps: steps.map(([step, until], at) => ({ step, from: steps[at - 1]?.[1] ?? 0, until })),
    waits: waits.map(([kind, summary, from, until, failure]) => ({
      kind,
      summary,
      from,
      until,
      failure: failure ?? null,
    })),
  }
}

export function describeMessage(message: MonitoredMessage) {
  return { headers: message.headers.map(([name, value]) => ({ name, value })), body: message.body ?? null }
}
