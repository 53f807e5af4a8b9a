/** What the limits of a call decide, without counting it (specification 25.11). */
import type { Gateway } from '../gateway.ts'
import type { Call } from '../model/call.ts'
import { remainingOf } from '../model/limit.ts'
import { Refusal, refusedBy } from '../model/refusal.ts'
import type { Transaction } from '../model/transaction.ts'
import type { Finding } from './report-steps.ts'

/** Limits by address apply to every call, all others once the operator is known. @returns the refusal of a limit that is used up */
export async function explainLimits(
  { remoteAddress }: Pick<Call, 'remoteAddress'>,
  { operation, operator }: Pick<Transaction, 'operation' | 'operator'>,
  gateway: Pick<Gateway, 'limits' | 'store'>,
): Promise<Finding | Refusal | undefined> {
  if (!operation?.limits) return undefined
  const { ofAddress, ofOperator, ofHandler } = operation.limits
  const caller = { operationId: operation.id, address: remoteAddress, operatorId: operator?.id }
  const details: string[] = []
  for (const limit of new Set([...ofAddress, ...(operator ? [...ofOperator, ...ofHandler] : [])])) {
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
    const reason = `limited by ${limit.name}${who} (${limit.text}), resets in ${seconds} s`
    if (wait > 0) return refusedBy('limits', new Refusal('rateLimited', reason))
    const left = limit.interval === undefined ? '' : `: ${remainingOf(limit, spent)} left`
    details.push(`${limit.name}${who} (${limit.text})${left}`)
  }
  return { text: 'within its limits', details }
}
