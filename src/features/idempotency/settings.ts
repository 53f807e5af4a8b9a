/** Stored responses to calls with an Idempotency-Key. */
import { age, size } from '../../settings/kinds.ts'
import type { Rows } from '../../settings/row.ts'

export const settings = {
  lifetime: {
    key: 'ig.idempotency.lifetime',
    kind: age,
    default: '24h',
    help: 'how long the response to a call with an Idempotency-Key is stored and repeated',
    see: '26.4',
  },
  maxBytes: {
    key: 'ig.idempotency.size',
    kind: size,
    default: '512MiB',
    help: 'maximum total size of stored responses, each counted with at least 300 bytes; a tenth of it for each operator; without room, calls with new keys get 503',
    see: '26.10',
  },
} as const satisfies Rows
