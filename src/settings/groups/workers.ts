/** The processes of `ig start`. */
import { time, whole } from '../kinds.ts'
import type { Rows } from '../row.ts'

const stallTime = {
  ...time,
  parse(text: string): number {
    const milliseconds = time.parse(text)
    if (milliseconds >= 500) return milliseconds
    throw new Error('must be at least 500ms: shorter pauses are normal')
  },
}

export const workers = {
  /** Undefined: as many as cores on PostgreSQL, one on SQLite. */
  count: {
    key: 'ig.workers',
    option: '--workers',
    kind: whole('processes', 1, 256),
    help: 'processes of ig start; by default one per core on PostgreSQL, one on SQLite',
    see: '17.1',
  },
  stallTimeout: {
    key: 'ig.workers.stallTimeout',
    kind: stallTime,
    default: '10s',
    help: 'restarts a worker whose event loop is blocked for longer',
    see: '17.2',
  },
} as const satisfies Rows
