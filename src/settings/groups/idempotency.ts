/** Kept answers to calls with an Idempotency-Key. */
import { age } from '../kinds.ts'
import type { Rows } from '../row.ts'

export const idempotency = {
  lifetime: {
    key: 'ig.idempotency.lifetime',
    kind: age,
    default: '24h',
    help: 'how long the response to a call with an Idempotency-Key is kept and repeated',
    see: '26.4',
  },
} as const satisfies Rows
