/** Repeats the response to a call that is sent again with its Idempotency-Key. README.md has the rules. */
import { settings } from './settings.ts'
import { cacheTables, mainTables } from './tables.ts'

export const idempotency = {
  settings: { 'Idempotency keys': { idempotency: settings } },
  tables: { main: mainTables, cache: cacheTables },
  watchedEvents: { idempotencyFull: 'warning' },
  metrics: {
    ig_idempotent_replays_total: {
      type: 'counter',
      help: 'Calls answered with the kept answer to an earlier call with the same Idempotency-Key, by body: whole or truncated.',
    },
    ig_idempotent_waiting: {
      type: 'gauge',
      help: 'Calls that wait for an earlier call with the same Idempotency-Key.',
    },
  },
} as const
