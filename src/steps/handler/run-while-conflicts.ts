/**
 * Runs a handler again while its `write` transaction conflicts with others (specification 5.74): each time with a new
 * instance, context and transaction, after exponential back-off, until its time limit.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OperationResponse } from '../../model/call.ts'
import { Refusal } from '../../model/refusal.ts'
import { close, type HandlerRun } from './run.ts'
import type { TimeLimit } from './within-time.ts'

/** Milliseconds, at most; each further one is twice as long. */
const firstPause = 10

export async function runWhileConflicts(
  begin: () => HandlerRun,
  limit: TimeLimit,
  runOnce: (run: HandlerRun, limit: TimeLimit) => Promise<OperationResponse>,
): Promise<OperationResponse> {
  const end = performance.now() + limit.milliseconds
  let run = begin()
  const late = () => lost(run, `for the handler's time of ${limit.milliseconds} ms`)
  try {
    let rest = limit
    for (let pause = firstPause; ; pause *= 2) {
      const [outcome] = await Promise.allSettled([runOnce(run, rest)])
      if (!run.context.isConflict) {
        if (outcome.status === 'rejected') throw outcome.reason
        return outcome.value
      }
      await run.context.closeSnapshot()
      requireRepeatable(run)
      const wait = pause * (0.5 + Math.random() / 2)
      if (performance.now() + wait >= end) throw late()
      await sleep(wait, undefined, { signal: run.request.clientSignal }).catch(() => {
        throw lost(run, 'and the client left')
      })
      run.request.endRun()
      run = begin()
      rest = { milliseconds: Math.max(0, end - performance.now()), exceeded: late }
    }
  } finally {
    await close(run)
  }
}

/** Tells it, too. */
function requireRepeatable(run: HandlerRun): void {
  const { context, request, operation, transaction, gateway } = run
  if (context.hasFetched) throw lost(run, 'and its call to another service cannot be undone')
  if (request.hasStreamedBody) throw lost(run, 'and it read its body as a stream')
  const message = `The handler of ${operation.id} runs again: another transaction was faster.`
  gateway.observe({ kind: 'note', level: 'information', transaction, message })
}

function lost({ operation }: HandlerRun, why: string): Refusal {
  return new Refusal('overloaded', `${operation.id}: other transactions were faster, ${why}`)
}
