/** The monitor: answered calls, kept for the people who run a gateway. README.md has the rules. */
import type { AlertRows } from '../../model/alert.ts'
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
  nouns: { call: 'export the calls that the monitor keeps' },
  alerts: async (): Promise<AlertRows> => ({
    GatewayMonitorAway: {
      title: 'The monitor stores no transactions',
      severity: 'warning',
      means: 'Its database does not accept them. Calls are not affected.',
      action: 'The log has the reason (monitorAway).',
      conditions: ['monitorAway'],
      rule: {
        expr: `sum by (instance) (increase(ig_events_total{event="monitorAway"}[10m])) > 0
  or sum by (instance) (increase(ig_monitor_lost_total{reason="database"}[10m])) > 0`,
        summary: 'The monitor of {{ $labels.instance }} stores no transactions',
      },
    },
    GatewayMonitorLoses: {
      title: 'The monitor does not keep all transactions',
      severity: 'info',
      means: 'More calls come than ig.monitor.perSecond. Calls are not affected.',
      action: 'Raise the setting, if the database and the disk have room.',
      rule: {
        expr: 'sum by (instance) (increase(ig_monitor_lost_total{reason="rate"}[10m])) > 0',
        for: '10m',
        summary: 'The monitor of {{ $labels.instance }} does not keep all transactions',
      },
    },
  }),
  open: async () => (await import('./open.ts')).open,
  actions: async () => (await import('./actions.ts')).actions,
} as const
