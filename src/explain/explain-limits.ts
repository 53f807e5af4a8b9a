/** What the limits of a call decide, without counting it (specification 25.11). */
import type { Gateway } from '../gateway.ts'
import type { Call } from '../model/call.ts'
import { type Limit, remainingOf } from '../model/limit.ts'
import type { Operation } from '../model/operation.ts'
import { Refusal } from '../model/refusal.ts'

/** @param limits those of one step @throws Refusal rateLimited */
export async function explainLimits(
  limits: readonly Limit[],
  call: Pick<Call, 'remoteAddress'>,
  operation: Operation,
  operatorId: string | undefined,
  gateway: Pick<Gateway, 'limits' | 'store'>,
): Promise<{ readonly text: string; readonly details: readonly string[] }> {
  const caller = { operationId: operation.id, address: call.remoteAddress, operatorId }
  const details: string[] = []
  for (const limit of limits) {
    const found = gateway.limits.look(limit, caller)
    if (!found) {
      details.push(`${limit.name} does not apply`)
      continue
    }
    const { subject, isFull } = found
    const spent = await gateway.store.limits.find(limit.name, subject).catch(() => found.spent)
    const wait = isFull ? 1000 : spent - limit.tolerance
    const who = subject === '' ? '' : ` of ${subject}`
    const seconds = Math.max(1, Math.ceil(wait / 1000))
    if (wait > 0)
      throw new Refusal('rateLimited', `limited by ${limit.name}${who} (${limit.text}), resets in ${seconds} s`)
    const left = limit.interval === undefined ? '' : `: ${remainingOf(limit, spent)} left`
    details.push(`${limit.name}${who} (${limit.text})${left}`)
  }
  return { text: 'within its limits', details }
}
