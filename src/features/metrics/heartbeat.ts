/**
 * The heartbeat of this instance in its cluster: every few seconds it stores its state, its revision and its counters,
 * and reads those of the others (specification 20.8, 20.9); every minute it stores the history (43.1).
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { pollEvery } from '../../base/poll-every.ts'
import type { Observe } from '../../model/observation.ts'
import type { Store } from '../../store/store.ts'
import type { CollectedMetrics } from './collect.ts'
import { type Heartbeat, type Instance, type InstanceFacts, listInstances } from './list-instances.ts'
import type { MetricRows } from './rows.ts'
import { type OperationStep, stepLength, stepsKept, type TimeStep } from './steps.ts'

export interface HeartbeatOptions {
  readonly store: Pick<Store, 'instances' | 'clockOffset'>
  readonly rows: MetricRows
  readonly collected: CollectedMetrics
  readonly facts: Pick<InstanceFacts, 'url' | 'version'>
  /** Active in this process. */
  readonly revision: () => number | undefined
  readonly now: () => number
  readonly observe: Observe
  /** Milliseconds between two checks whether a step is over. */
  readonly every?: number
}

/** Milliseconds. */
const kept = stepLength * stepsKept

export function openHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { store, rows, collected, facts, revision, every = 1000 } = options
  const now = () => Math.floor(options.now() + store.clockOffset) // the columns are complete
  const host = hostname()
  const id = `${host}:${new URL(facts.url).port}`
  const started = now()
  const others = new Map<string, Map<number, TimeStep>>()
  let reported = 0

  const describe = (): Omit<Instance, 'conditions'> => ({
    id,
    started,
    seen: now(),
    host,
    ...facts,
    processes: Math.max(1, collected.total.gauges.size),
    revision: lowestRevision(collected) ?? revision() ?? null,
  })
  const report = async () => {
    const steps = collected.steps.finished().filter(({ time }) => time > reported)
    if (steps.length === 0 && reported > 0) return
    const { id: _, started, seen, ...rest } = describe()
    const since = seen - kept
    const written = steps.map(({ time, operations }) => ({ instance: id, time, counts: JSON.stringify(operations) }))
    await rows.writeSteps(written, since)
    await store.instances.beat({ id, started, seen, facts: JSON.stringify(rest) }, since)
    reported = steps.at(-1)?.time ?? 1
  }
  const writer = `${id}/${randomUUID()}`
  const keep = async () => {
    const due = await collected.minutes.due()
    if (due.length === 0) return
    await rows.write(writer, due, now())
    collected.minutes.stored(due)
  }
  const beat = async () => {
    try {
      await report()
    } finally {
      await keep()
    }
  }
  const stop = pollEvery({
    every,
    isImmediate: true,
    work: beat,
    onFailure(error) {
      const message = 'This instance cannot report to the others; it will retry.'
      options.observe({ kind: 'event', level: 'warning', name: 'heartbeatFailed', message, error })
    },
  })

  const read = async () => {
    const since = now() - kept
    // Each instance reports its steps in order, but some later than others: continue after the last one read.
    const latest = [...others.values()].map((steps) => Math.max(...steps.keys()))
    const found = await rows.stepsSince(Math.max(since, latest.length > 0 ? Math.min(...latest) : since))
    for (const { instance, time, counts } of found) {
      const steps = others.get(instance) ?? new Map<number, TimeStep>()
      others.set(instance, steps)
      if (!steps.has(time)) steps.set(time, { time, operations: JSON.parse(counts) as OperationStep[] })
    }
    for (const [instance, steps] of others) {
      for (const time of steps.keys()) if (time < since) steps.delete(time)
      if (steps.size === 0) others.delete(instance)
    }
    return listInstances(await store.instances.list(), now())
  }
  return {
    id,
    now,
    beat,
    async readAll() {
      const known = await read().catch(() => undefined)
      // Its own steps from before a restart are only in the store.
      const own = new Map(others.get(id) ?? [])
      for (const step of collected.steps.finished()) own.set(step.time, step)
      const steps = [...others].filter(([instance]) => instance !== id).map(([, each]) => [...each.values()])
      const rest = known?.filter((instance) => instance.id !== id) ?? []
      const conditions = known?.find((instance) => instance.id === id)?.conditions ?? []
      const instances = [...rest, { ...describe(), conditions }].sort((one, other) => (one.id < other.id ? -1 : 1))
      return {
        isAlone: known === undefined,
        instances,
        steps: known ? [...steps, [...own.values()]] : [[...own.values()]],
      }
    },
    async close() {
      await stop()
      collected.minutes.end()
      await Promise.allSettled([keep(), store.instances.remove(id, started)])
    },
  }
}

function lowestRevision({ total }: CollectedMetrics): number | undefined {
  const revisions = [...total.gauges.values()].flatMap(({ ig_revision: revision }) => revision ?? [])
  return revisions.length > 0 ? Math.min(...revisions) : undefined
}
