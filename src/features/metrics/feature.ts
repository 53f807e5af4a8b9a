/** Metrics: counters for scrapers, the overview, its history and alerts. README.md has the rules. */
import { settings } from './settings.ts'
import { cacheTables } from './tables.ts'

export const metrics = {
  settings: { Metrics: { metrics: settings } },
  tables: { cache: cacheTables },
  open: async () => (await import('./open.ts')).open,
  listener: async () => (await import('./metrics-listener.ts')).findListener,
  actions: async () => (await import('./actions.ts')).actions,
  documents: async () => (await import('./actions.ts')).documents,
} as const
