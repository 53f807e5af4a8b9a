/** Events of the gateway, sent by HTTP to receivers. README.md has the rules. */
import { checkSettings, settings } from './settings.ts'
import { cacheTables } from './tables.ts'

export const webhooks = {
  settings: { Webhooks: { webhooks: settings } },
  checkSettings,
  tables: { cache: cacheTables },
  events: {
    webhooksLost: { means: 'events were not stored for webhooks, because too many waited', data: ['count'] },
    webhookTest: { means: 'a test by an administrator' },
  },
  metrics: {
    ig_webhooks_total: {
      type: 'counter',
      help: 'Webhooks: attempts that were delivered or failed, events that were givenUp after the last attempt, and those lost.',
    },
  },
  open: async () => (await import('./open.ts')).open,
  actions: async () => (await import('./actions.ts')).actions,
  nouns: { webhook: 'list the events sent to receivers' },
} as const
