/** The calls of the last day against a draft: which of them it would refuse (specification 21.24). */
import { z } from 'zod'
import { readMonitorDatabase } from '../../../actions/outage.ts'
import { name, time, toTime } from '../../../actions/schemas.ts'
import { inSlices } from '../../../base/in-slices.ts'
import { compileTrial } from '../../../explain/open-trial.ts'
import { findNewRefusal, type NewRefusal } from '../../../explain/replay-calls.ts'
import type { RecordedCall } from '../../../model/usage.ts'
import { requireDraft, requireManaged } from '../../draft.ts'
import { inTurn } from '../../in-turn.ts'
import { route } from '../../route.ts'
import { byDraft, requireValid, tag } from './draft-answer.ts'

const day = 24 * 3_600_000
/** Milliseconds: a person waits. */
const patience = 10_000
const maxNamed = 20

export const draftReplayRoutes = [
  route({
    operationId: 'replayDraft',
    tag,
    summary: 'List the calls of the last day that the draft would refuse',
    description:
      'Compares the calls that the monitor keeps and that were served or failed: URL, address, kind of credentials and permission, with the operators of today. Calls that the active configuration refuses by then do not count. No handler is run; passwords, tokens, TLS, limits and bodies are not compared. Reads for at most 10 seconds, the newest calls first.',
    method: 'GET',
    path: '/api/drafts/:draft/replay',
    access: 'viewer',
    params: byDraft,
    answer: name(
      'Replay',
      z.object({
        isMonitored: z.boolean().describe('False if the monitor is off: there are no calls to compare'),
        from: time.describe('The calls from this time on were compared'),
        isCut: z.boolean().describe('True if there are earlier calls of the last day'),
        calls: z.int().describe('Number of calls that were compared'),
        refused: z.int().describe('Number of calls that the draft would refuse'),
        callers: z.int().describe('Number of operators whose calls it would refuse'),
        wouldBeRefused: z.array(
          z.object({
            operation: z.string().describe('The operation that served the calls: HIRE_GET.v1'),
            refusal: z.string().describe('Its code'),
            reason: z.string().describe('Of the newest call'),
            calls: z.int(),
            callers: z.array(z.string()).describe(`Ids of up to ${maxNamed} operators`),
            lastCall: z.string().describe('Transaction id of the newest call'),
          }),
        ),
      }),
    ),
    problems: ['overloaded', 'managedByFiles', 'invalidConfiguration', 'monitorAway'],
    async handle({ params, parts }) {
      const { handlers } = requireManaged(parts)
      const after = await requireValid(await requireDraft(params.draft, parts), parts)
      const draft = await inTurn(compileTrial(after, await handlers.forTrial(after)))
      const { gateway, opened } = parts
      const active = gateway.catalog
      const { recordedCalls } = opened.find((feature) => feature.recordedCalls) ?? {}
      const from = Math.floor(parts.now()) - day
      const replay = openReplay(from)
      function* compareSteps(calls: readonly RecordedCall[]): Generator<void> {
        for (const call of calls) yield replay.add(call, findNewRefusal(call, active, draft, gateway))
      }
      const compare = async (read: NonNullable<typeof recordedCalls>) => {
        const deadline = performance.now() + patience
        for await (const calls of read(from)) {
          await inSlices(compareSteps(calls))
          if (performance.now() > deadline) return replay.cut()
        }
      }
      if (recordedCalls) await readMonitorDatabase(gateway.condition, () => compare(recordedCalls))
      return { body: { isMonitored: recordedCalls !== undefined, ...replay.answer() } }
    },
  }),
]

interface Group extends NewRefusal {
  readonly lastCall: string
  readonly callers: Set<string>
  calls: number
}

function openReplay(since: number) {
  const groups = new Map<string, Group>()
  const callers = new Set<string>()
  let [calls, isCut] = [0, false]
  let oldest = since
  return {
    add({ transactionId, operator, time }: RecordedCall, found: NewRefusal | undefined) {
      calls += 1
      oldest = time
      if (!found) return
      const key = `${found.operation} ${found.refusal.code}`
      const group = groups.get(key) ?? { ...found, lastCall: transactionId, callers: new Set(), calls: 0 }
      groups.set(key, group)
      group.calls += 1
      group.callers.add(operator)
      callers.add(operator)
    },
    cut() {
      isCut = true
    },
    answer() {
      const all = [...groups.values()].sort((one, other) => other.calls - one.calls)
      return {
        from: toTime(isCut ? oldest : since),
        isCut,
        calls,
        refused: all.reduce((sum, group) => sum + group.calls, 0),
        callers: callers.size,
        wouldBeRefused: all.map(({ operation, refusal, calls, callers, lastCall }) => ({
          operation,
          refusal: refusal.code,
          reason: refusal.message,
          calls,
          callers: [...callers].slice(0, maxNamed),
          lastCall,
        })),
      }
    },
  }
}
