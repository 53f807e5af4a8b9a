/** The REST cache. README.md has the rules; what an operation and a handler say of it is the kernel's. */
import { settings } from './settings.ts'
import { cacheTables } from './tables.ts'

export const restCache = {
  settings: { Limits: { restCache: settings } },
  tables: { cache: cacheTables },
  metrics: {
    ig_cache_entries: { type: 'gauge', help: 'Entries in memory, by cache.' },
    ig_cache_bytes: { type: 'gauge', help: 'Bytes in memory, by cache.' },
    ig_cache_failures_total: {
      type: 'counter',
      help: 'Failed reads and writes of the REST cache; the calls were served without it.',
    },
  },
  findProjectWarnings: async () => (await import('./find-doubtful-caching.ts')).findDoubtfulCaching,
  nouns: { cache: 'list cached responses, and delete them' },
  actions: async () => (await import('./actions.ts')).actions,
} as const
