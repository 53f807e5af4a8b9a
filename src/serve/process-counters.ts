/**
 * The counters of a serving process and where they go: the only process of an instance passes them to the features that
 * read them; a worker reports to its supervisor, which passes them to the process of administration (specification 20.2).
 */

import type { OpenFeature } from '../feature.ts'
import type { Gateway } from '../gateway.ts'
import type { Observe } from '../model/observation.ts'
import { readCertificateExpiry } from '../observe/metrics/certificate-expiry.ts'
import { type Report, type ReportMessage, seriesOf } from '../observe/metrics/report.ts'
import { openTelemetry } from '../observe/metrics/telemetry.ts'
import type { Logs } from '../observe/open-logs.ts'
import type { StandardOutput } from '../observe/standard-output.ts'
import type { Settings } from '../settings.ts'
import { conditionNames, listConditions } from '../steps/built-in/health.ts'
import type { OpenGateway } from './open-gateway.ts'
import type { WorkerRole } from './production/worker-messages.ts'
import { watchGateway } from './watch-gateway.ts'

export interface ProcessCounters {
  readonly observe: Observe
  /** Starts observing the gateway. */
  watch(gateway: Gateway, countOpen?: OpenGateway['count']): void
  /** Reports now what is due within the second. */
  report(): void
  close(): void
}

export interface ProcessCountersOptions {
  readonly settings: Settings
  readonly worker?: WorkerRole | undefined
  readonly features: readonly Pick<OpenFeature, 'report'>[]
  /** Counters from other parts of this process. */
  readonly counts: () => Readonly<Record<string, number>>
}

/** @returns undefined if no feature reads what it counts */
export function openProcessCounters({
  settings,
  worker,
  features,
  counts,
}: ProcessCountersOptions): ProcessCounters | undefined {
  const readers = features.filter(({ report }) => report)
  const pass = (message: ReportMessage) => {
    for (const reader of readers) reader.report?.(message)
  }
  worker?.onReports?.(pass)
  if (readers.length === 0) return undefined
  const sink = worker ? worker.report : (report: Report) => pass({ kind: 'report', report })
  const telemetry = openTelemetry({ worker: worker?.number ?? 0, sink })
  telemetry.watch({ counts })
  let expiries: ReturnType<typeof readExpiries> | undefined
  return {
    observe(observation) {
      if (observation.kind === 'event' && observation.name === 'certificateReloaded') expiries = undefined
      telemetry.observe(observation)
    },
    watch(gateway, countOpen) {
      telemetry.watch(watchGateway(gateway, countOpen))
      telemetry.watch({ gauges: () => readConditions(gateway) })
      const listeners = {
        calls: countOpen && settings.tls,
        administration: worker && !worker.onReports ? undefined : settings.admin?.tls,
      }
      expiries = readExpiries(listeners)
      telemetry.watch({ gauges: () => (expiries ??= readExpiries(listeners)) })
    },
    report: telemetry.report,
    close: telemetry.close,
  }
}

function readConditions(gateway: Gateway) {
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

interface CountSources {
  readonly logs: Pick<Logs, 'dropped'>
  readonly output: Pick<StandardOutput, 'dropped'>
  readonly features?: readonly Pick<OpenFeature, 'counts'>[]
}

/** Counters from outside calls: dropped log entries, those of features. */
export function countElsewhere({ logs, output, features = [] }: CountSources): Record<string, number> {
  const dropped = { ...logs.dropped, standardOutput: logs.dropped.standardOutput + output.dropped }
  return Object.fromEntries([
    ...Object.entries(dropped).map(([log, count]) => [seriesOf('ig_log_dropped_total', { log }), count]),
    ...features.flatMap(({ counts }) => Object.entries(counts?.() ?? {})),
  ])
}
