/** Metrics: counters for scrapers, the overview, its history and alerts. README.md has the rules. */
import { settings } from './settings.ts'
import { cacheTables, mainTables } from './tables.ts'

export const metrics = {
  settings: { Metrics: { metrics: settings } },
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
