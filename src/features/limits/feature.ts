/** Limits of calls, and overload. README.md has the rules; the configuration's list of limits is the kernel's. */
import { settings } from './settings.ts'
import { cacheTables } from './tables.ts'

export const limits = {
  settings: { Limits: { overload: settings } },
  tables: { cache: cacheTables },
  events: {
    limitReached: { means: 'calls were refused by a limit, in a minute', data: ['limit', 'count'] },
    overloaded: { means: 'a process has more calls than it can serve' },
    overloadOver: { means: 'it serves all calls again' },
  },
  metrics: {
    ig_limited_total: { type: 'counter', help: 'Calls refused by a limit, by its name.' },
  },
  actions: async () => (await import('./actions.ts')).actions,
  nouns: { limit: 'list limited callers, and lift a limit' },
} as const
