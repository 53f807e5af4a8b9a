/** Calls of other services by handlers. */
import { origins } from '../kinds.ts'
import type { Rows } from '../row.ts'

export const fetch = {
  /** Undefined: every public one. */
  origins: {
    key: 'ig.fetch.origins',
    kind: origins,
    help: 'the only origins that handlers may call with context.fetch, private and loopback addresses included; by default every public address',
    see: '5.50',
  },
} as const satisfies Rows
