/** How much the REST cache keeps. */
import { size, whole } from '../../settings/kinds.ts'
import type { Rows } from '../../settings/row.ts'

export const settings = {
  maxBytes: {
    key: 'ig.limits.cacheSize',
    kind: size,
    default: '64MiB',
    help: 'maximum total size of the REST cache',
    see: '6.7',
  },
  maxEntries: {
    key: 'ig.limits.cacheEntries',
    kind: whole('entries', 1, 10_000_000),
    default: '10000',
    help: 'maximum number of responses in the REST cache',
    see: '6.7',
  },
} as const satisfies Rows
