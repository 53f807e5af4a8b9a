/** Answered calls for a replay (specification 21.24), in pages of the store, so that neither side holds them. */
import type { RecordedCall } from '../../model/usage.ts'
import type { MonitorStore } from './monitor-store.ts'
import { trialReason } from './monitored-call.ts'
import type { ListedTransaction, MonitorPage } from './monitored-transaction.ts'

const pageLength = 1000

export async function* readRecordedCalls(store: MonitorStore, from: number): AsyncGenerator<readonly RecordedCall[]> {
  let before: MonitorPage['next']
  do {
    const { transactions, next } = await store.list({ filter: { from }, limit: pageLength, before })
    yield transactions.filter(wasAdmitted)
    before = next
  } while (before)
}

/** No run of a job, and no trial of a draft. */
function wasAdmitted(found: ListedTransaction): found is ListedTransaction & RecordedCall {
  const { method, operator, refusal, reason = '' } = found
  return operator !== undefined && refusal === undefined && method !== 'JOB' && !reason.startsWith(trialReason)
}
