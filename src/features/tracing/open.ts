/** The feature in a process: only those that serve calls trace them, and OpenTelemetry is loaded only if calls are traced. */

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { FeatureContext, OpenFeature } from '../../feature.ts'
import type { Observe } from '../../model/observation.ts'
import { maskings } from '../../observe/masking/masking.ts'
import { seriesOf } from '../../observe/metrics/report.ts'
import { type ReadSettings, SettingsProblems } from '../../settings.ts'
import { loadOpenTelemetry } from './load-open-telemetry.ts'
import { type OpenTelemetry, openTracing, type Tracing } from './tracing.ts'

export function open({ settings, servesCalls, observe: report }: FeatureContext): OpenFeature | undefined {
  const traces = servesCalls ? openTracingOf(settings, report) : undefined
  if (!traces) return undefined
  const { observe, spans, close } = traces
  return {
    traces,
    observe,
    counts: () =>
      Object.fromEntries(
        Object.entries(spans).map(([fate, count]) => [seriesOf('ig_trace_spans_total', { fate }), count]),
      ),
    close,
  }
}

/** Traces, if a collector is configured. A configured ratio overrides `OTEL_TRACES_SAMPLER`. */
export function openTracingOf(
  settings: ReadSettings,
  observe: Observe,
  environment = process.env,
): Tracing | undefined {
  const { tracing, toolsRelease, log, given, database } = settings
  const { endpoint } = tracing
  if (endpoint === undefined) return undefined
  const resource = {
    'service.name': 'integration-gateway',
    'service.version': toolsRelease,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    'process.pid': String(process.pid),
  }
  const openTelemetry = tryOpenTelemetry(endpoint, resource, environment, observe)
  if (!openTelemetry) return undefined
  const isBySampler = environment.OTEL_TRACES_SAMPLER?.trim() && !given.has('ig.tracing.ratio')
  const ratio = isBySampler ? undefined : tracing.ratio
  const databaseSystem = database.includes('://') ? 'postgresql' : 'sqlite'
  const masking = maskings[log.masking]
  return openTracing({ endpoint, ratio, openTelemetry, masking, databaseSystem, observe })
}

/** Calls are served without traces too. */
function tryOpenTelemetry(
  endpoint: string,
  resource: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
  observe: Observe,
): OpenTelemetry | undefined {
  try {
    return loadOpenTelemetry(endpoint, resource, environment)
  } catch (error) {
    if (!(error instanceof SettingsProblems)) throw error
    const message = `Calls are not traced: ${error.message}`
    observe({ kind: 'event', level: 'error', name: 'tracesMissing', message })
    return undefined
  }
}
