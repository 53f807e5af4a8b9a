/** Traces of calls, by OpenTelemetry. README.md has the rules. */
import type { AlertRows } from '../../model/alert.ts'
import { settings } from './settings.ts'

export const tracing = {
  settings: { Traces: { tracing: settings } },
  findEnvironmentWarnings: async () => (await import('./load-open-telemetry.ts')).findEnvironmentWarnings,
  metrics: {
    ig_trace_spans_total: { type: 'counter', help: 'Trace spans, by result: exported or dropped.' },
  },
  alerts: async (): Promise<AlertRows> => ({
    GatewayTracesDropped: {
      title: 'Spans of traces are dropped',
      severity: 'info',
      means: 'The collector does not accept them, or not fast enough. Calls are not affected.',
      action: 'Check the collector, or lower ig.tracing.ratio.',
      rule: {
        expr: 'sum by (instance) (increase(ig_trace_spans_total{fate="dropped"}[10m])) > 0',
        for: '10m',
        summary: '{{ $labels.instance }} loses spans',
      },
    },
  }),
  open: async () => (await import('./open.ts')).open,
} as const
