/**
 * The counters of a serving process and where they go: the only process of an instance adds them up itself; a worker
 * reports to its supervisor, which passes them to the process of administration (specification 20.2, 20.6).
 */
import type { AdminParts } from '../admin/parts.ts'
import type { Opened } from '../feature.ts'
import type { Observe } from '../model/observation.ts'
import { readBuildInfo } from '../observe/metrics/build-info.ts'
import { readCertificateExpiry } from '../observe/metrics/certificate-expiry.ts'
import { type Collected, openCollected } from '../observe/metrics/collect.ts'
import { openMetricsListener, type Scrape } from '../observe/metrics/metrics-listener.ts'
import { seriesOf } from '../observe/metrics/report.ts'
import { openTelemetry, type Telemetry } from '../observe/metrics/telemetry.ts'
import { watchGateway } from '../observe/metrics/watch-gateway.ts'
import { chooseFormat, contentTypes, writeMetrics } from '../observe/metrics/write-metrics.ts'
import type { Monitor } from '../observe/monitor.ts'
import type { Logs } from '../observe/open-logs.ts'
import type { StandardOutput } from '../observe/standard-output.ts'
import type { ServingGateway } from '../project/serving-gateway.ts'
import type { Settings } from '../settings.ts'
import { conditionNames, listConditions, staleAfter } from '../steps/built-in/health.ts'
import { explainNoMetrics } from '../terminal/explain-failure.ts'
import { warn } from '../terminal/print.ts'
import { openHeartbeat } from './heartbeat.ts'
import type { OpenGateway } from './open-gateway.ts'
import type { WorkerRole } from './production/worker-messages.ts'

export interface Measuring {
  readonly observe: Observe
  /** Starts observing the gateway. */
  watch(gateway: ServingGateway, countOpen?: OpenGateway['count']): void
  /** Counters from other parts of this process. */
  watchCounts(counts: () => Readonly<Record<string, number>>): void
  /** Publishes the totals: to administration, and to scrapers. Only in the process that adds up. */
  show(facts: ShowFacts): Promise<Shown>
  close(): void
}

export interface ShowFacts {
  readonly gateway: ServingGateway
  readonly url: string
  readonly settings: Settings
  readonly sharesPort?: boolean
}

export interface Shown {
  /** Undefined if metrics are off. */
  readonly metrics: AdminParts['metrics']
  /** The address of the listener for scrapers, if any. */
  readonly url: string | undefined
  close(): Promise<void>
}

export function openMeasuring(settings: Settings, worker?: WorkerRole): Measuring {
  if (!settings.metrics.isOn) return nothing
  let gateway: ServingGateway | undefined
  const now = () => gateway?.now() ?? Date.now()
  const collected = openCollected({
    maxOperations: settings.metrics.operations,
    now: () => now() + (gateway?.store.clockOffset ?? 0),
  })
  worker?.onReports?.((message) => {
    if (message.kind === 'report') collected.add(message.report)
    else if (message.kind === 'earlier') collected.addEarlier(message.reports)
    else collected.total.forget(message.worker)
  })
  const sink = worker ? worker.report : collected.add
  const telemetry = openTelemetry({ worker: worker?.number ?? 0, sink })
  let expiries: ReturnType<typeof readExpiries> | undefined
  return {
    observe(observation) {
      if (observation.kind === 'event' && observation.name === 'certificateReloaded') expiries = undefined
      telemetry.observe(observation)
    },
    watch(watched, countOpen) {
      gateway = watched
      telemetry.watch(watchGateway(watched, staleAfter, countOpen))
      telemetry.watch({ gauges: () => readConditions(watched) })
      const listeners = {
        calls: countOpen && settings.tls,
        administration: worker && !worker.onReports ? undefined : settings.admin?.tls,
      }
      expiries = readExpiries(listeners)
      telemetry.watch({ gauges: () => (expiries ??= readExpiries(listeners)) })
    },
    watchCounts: (counts) => telemetry.watch({ counts }),
    show: (facts) => show(facts, collected, telemetry, worker?.count ?? 1),
    close: telemetry.close,
  }
}

function readConditions(gateway: ServingGateway) {
  const holding = new Set(listConditions(gateway).map(({ name }) => name))
  const series = (condition: string) => seriesOf('ig_condition', { condition })
  return Object.fromEntries(conditionNames.map((name) => [series(name), holding.has(name) ? 1 : 0]))
}

/** @param listeners the TLS listeners of this process */
function readExpiries(listeners: Readonly<Record<string, { readonly cert: string } | undefined>>) {
  const expiries: Record<string, number> = {}
  for (const [listener, tls] of Object.entries(listeners)) {
    const expiry = tls && readCertificateExpiry(tls.cert)
    if (expiry !== undefined) expiries[seriesOf('ig_certificate_expires_timestamp_seconds', { listener })] = expiry
  }
  return expiries
}

const nothing: Measuring = {
  observe() {},
  watch() {},
  watchCounts() {},
  show: async () => ({ metrics: undefined, url: undefined, close: async () => {} }),
  close() {},
}

async function show(facts: ShowFacts, collected: Collected, telemetry: Telemetry, count: number): Promise<Shown> {
  const { gateway, url, settings, sharesPort } = facts
  await using opened = new AsyncDisposableStack()
  const version = settings.toolsRelease
  const build = seriesOf('ig_build_info', { ...readBuildInfo() })
  const scrape: Scrape = (accept) => {
    telemetry.report()
    const { total } = collected
    const format = chooseFormat(accept)
    const workers = { ig_workers: countWorkers(collected), ig_workers_configured: count }
    const instance = { [build]: 1, ...workers }
    return { type: contentTypes[format], text: writeMetrics(total, instance, format) }
  }
  const { host, port } = settings.metrics
  const listener =
    port === undefined
      ? undefined
      : await openMetricsListener({ host, port, scrape, sharesPort }).catch((error) => {
          const message = explainNoMetrics(error, port) // calls are served all the same
          warn(message)
          gateway.observe({ kind: 'event', level: 'error', name: 'metricsMissing', message })
        })
  if (listener) opened.defer(listener.close)
  const { store, now, observe } = gateway
  const revision = () => gateway.catalog.revision
  const heartbeat = openHeartbeat({ store, collected, facts: { url, version }, revision, now, observe })
  opened.defer(() => {
    telemetry.report() // the last second
    return heartbeat.close()
  })
  const closing = opened.move()
  return { metrics: { heartbeat, scrape }, url: listener?.url, close: () => closing.disposeAsync() }
}

/** The listeners for calls. */
function countWorkers({ total }: Collected): number {
  return [...total.gauges.values()].filter((gauges) => gauges.ig_connections !== undefined).length
}

interface Elsewhere {
  readonly logs: Pick<Logs, 'dropped'>
  readonly output: Pick<StandardOutput, 'dropped'>
  readonly monitor: Pick<Monitor, 'lost'>
  readonly features?: readonly Pick<Opened, 'counts'>[]
}

/** Counters from outside calls: dropped log entries, dropped monitor transactions, those of features. */
export function countElsewhere({ logs, output, monitor, features = [] }: Elsewhere): Record<string, number> {
  const dropped = { ...logs.dropped, standardOutput: logs.dropped.standardOutput + output.dropped }
  return Object.fromEntries([
    ...Object.entries(dropped).map(([log, count]) => [seriesOf('ig_log_dropped_total', { log }), count]),
    ...Object.entries(monitor.lost).map(([reason, count]) => [seriesOf('ig_monitor_lost_total', { reason }), count]),
    ...features.flatMap(({ counts }) => Object.entries(counts?.() ?? {})),
  ])
}
