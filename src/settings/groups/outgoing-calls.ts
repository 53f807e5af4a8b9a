/** Calls of other services by handlers. */
import { origins } from '../kinds.ts'
import type { Rows } from '../row.ts'

export const fetch = {
  /** Undefined: every public one. */
  origins: {
    key: 'ig.fetch.origins',
    kind: origins,
    help: 'the only origins that handlers may call with context.fetch, including private and loopback addresses; by default, all public addresses',
    see: '5.50',
  },
} as const satisfies Rows
