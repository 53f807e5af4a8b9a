/** Traces of calls, by OpenTelemetry. README.md has the rules. */
import { settings } from './settings.ts'

export const tracing = {
  settings: { Traces: { tracing: settings } },
  findEnvironmentWarnings: async () => (await import('./load-open-telemetry.ts')).findEnvironmentWarnings,
  metrics: {
    ig_trace_spans_total: { type: 'counter', help: 'Trace spans, by result: exported or dropped.' },
  },
  open: async () => (await import('./open.ts')).open,
} as const
