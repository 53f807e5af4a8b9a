/** Metrics: counters for scrapers, the overview, its history, objectives and alerts. README.md has the rules. */
import { operationFields, slowAfterOf } from './configuration.ts'
import { settings } from './settings.ts'
import { cacheTables, mainTables } from './tables.ts'

export const metrics = {
  settings: { Metrics: { metrics: settings } },
  operationFields,
  slowAfterOf,
  metrics: {
    ig_slow_calls_total: {
      type: 'counter',
      help: 'Served calls that took longer than the slo of their operation allows, by operation.',
    },
    ig_slo_errors_allowed: {
      type: 'gauge',
      help: 'Share of calls that may fail or be slow, by operation: 0.001 if its slo is 99.9%.',
    },
  },
  tables: { main: mainTables, cache: cacheTables },
  events: {
    alertBegan: { means: 'an alert of administration began; not sent if it is silenced', data: ['alert', 'subject'] },
    alertEnded: { means: 'an alert of administration ended', data: ['alert', 'subject'] },
  },
  alerts: async () => (await import('./alert-table.ts')).alerts,
  open: async () => (await import('./open.ts')).open,
  listener: async () => (await import('./metrics-listener.ts')).findListener,
  actions: async () => (await import('./actions.ts')).actions,
  documents: async () => (await import('./actions.ts')).documents,
  nouns: { alert: 'list and silence alerts' },
} as const
