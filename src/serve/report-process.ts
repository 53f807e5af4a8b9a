/** A serving process reports which revision it serves, and which it refuses and why (specification 13.17). */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { pollEvery } from '../base/poll-every.ts'
import { within } from '../base/within.ts'
import type { Gateway } from '../gateway.ts'
import { listConditions } from '../steps/built-in/health.ts'
import { instanceOf, type ProcessFacts } from '../store/processes.ts'

/** Milliseconds: a change is reported immediately, an unchanged state every five seconds. */
const pollInterval = 250
const reportEvery = 5_000
/** As long as instances are kept; and how long a stop waits for the removal of the row. */
const kept = 15 * 60_000
const unregisterWithin = 250

/** @returns stops it, and removes the report */
export function reportProcess(gateway: Gateway, url: string): () => Promise<void> {
  const { store, settings, condition, observe } = gateway
  const now = () => Math.floor(gateway.now() + store.clockOffset)
  const host = hostname()
  const id = `${instanceOf({ host, url })}/${randomUUID()}`
  const started = now()
  const describe = (): ProcessFacts => ({
    host,
    url,
    version: settings.toolsRelease,
    processes: 1,
    revision: gateway.catalog.revision ?? null,
    process: {
      pid: process.pid,
      sequence: condition.activation?.sequence ?? 0,
      refusal: condition.revisionRefusal,
      conditions: listConditions(gateway).map(({ name, detail }) => ({ name, detail })),
    },
  })
  let reported = ''
  let reportedAt = Number.NEGATIVE_INFINITY
  const report = async () => {
    const facts = JSON.stringify(describe())
    if (facts === reported && performance.now() - reportedAt < reportEvery) return
    const seen = now()
    await store.instances.beat({ id, seen, started, facts }, seen - kept)
    reported = facts
    reportedAt = performance.now()
  }
  const stop = pollEvery({
    every: pollInterval,
    isImmediate: true,
    work: () => (condition.isStoreOutage ? undefined : report()),
    onFailure(error) {
      const message = 'This process cannot report which revision it serves; it will retry.'
      observe({ kind: 'event', level: 'warning', name: 'processReportFailed', message, error })
    },
  })
  return async () => {
    const stopped = stop()
    if (condition.isStoreOutage) return
    const unregister = async () => {
      await stopped
      await store.instances.remove(id, started).catch(() => {}) // otherwise it expires
    }
    await within(unregisterWithin, unregister()).catch(() => {})
  }
}
