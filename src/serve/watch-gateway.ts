/** Figures of a running gateway that are read on demand, at no cost for calls (specification 20.4). */
import type { Gateway } from '../gateway.ts'
import { seriesOf } from '../observe/metrics/report.ts'
import type { MetricsSource } from '../observe/metrics/telemetry.ts'
import { isStale } from '../steps/built-in/health.ts'
import type { OpenGateway } from './open-gateway.ts'

/** @param countOpen of its listeners; a process without calls has none */
export function watchGateway(gateway: Gateway, countOpen?: OpenGateway['count']): MetricsSource {
  const { restCache, store, operators, condition, memory } = gateway
  return {
    isCached: (operationId) => restCache.knows(operationId),
    takeHandlers: () => gateway.shared.metrics.take(),
    counts: () => ({ ig_cache_failures_total: restCache.failures, ...countLimited(gateway) }),
    gauges() {
      const { revision } = gateway.catalog
      const age = Math.max(0, gateway.now() - condition.storeReadAt)
      const gauges: Record<string, number> = {
        ...(revision === undefined ? {} : { ig_revision: revision, ig_revision_served: revision }),
        ...(condition.activation && { ig_revision_active: condition.activation.revision }),
        ig_store_age_seconds: age / 1000,
        ig_store_stale: isStale(condition, gateway.now()) ? 1 : 0,
        ig_clock_offset_seconds: store.clockOffset / 1000,
        ig_operators: operators.size,
        ig_idempotent_waiting: gateway.idempotency.waiting,
        [seriesOf('ig_cache_entries', { cache: 'rest' })]: restCache.size.entries,
        [seriesOf('ig_cache_bytes', { cache: 'rest' })]: restCache.size.bytes,
        ig_memory_budget_bytes: memory.total,
        ig_memory_reserved_bytes: memory.reserved,
      }
      for (const [pool, { open, idle, waiting, max }] of Object.entries(store.load())) {
        gauges[seriesOf('ig_database_connections', { pool, state: 'idle' })] = idle
        gauges[seriesOf('ig_database_connections', { pool, state: 'busy' })] = open - idle
        gauges[seriesOf('ig_database_connections_limit', { pool })] = max
        gauges[seriesOf('ig_database_waiting', { pool })] = waiting
      }
      if (countOpen) {
        const { connections, calls } = countOpen()
        gauges.ig_connections = connections
        gauges.ig_requests_in_flight = calls
      }
      return gauges
    },
  }
}

/** Every limit has a series from the start: an increase from nothing is not visible. */
function countLimited({ catalog, limits: { refused } }: Gateway): Readonly<Record<string, number>> {
  const names = new Set([...catalog.limits.keys(), ...refused.keys()])
  return Object.fromEntries(
    [...names].map((limit) => [seriesOf('ig_limited_total', { limit }), refused.get(limit) ?? 0]),
  )
}
