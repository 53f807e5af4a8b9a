/** The monitor: answered calls, kept for the people who run a gateway. README.md has the rules. */
import { settings } from './settings.ts'
import { separateTables } from './tables.ts'

export const monitor = {
  settings: { Monitor: { monitor: settings } },
  tables: { separate: separateTables },
  events: {
    monitorAway: { means: 'the monitor stores no transactions' },
    monitorBack: { means: 'the monitor stores transactions again' },
  },
  watchedEvents: { monitorAway: 'error' },
  metrics: {
    ig_monitor_lost_total: {
      type: 'counter',
      help: 'Transactions that the monitor dropped, by reason: rate or database.',
    },
  },
  conditionNames: ['monitorAway'],
  open: async () => (await import('./open.ts')).open,
  actions: async () => (await import('./actions.ts')).actions,
} as const
