/** Overload: when calls are shed. */
import { time } from '../../settings/kinds.ts'
import type { Rows } from '../../settings/row.ts'

export const settings = {
  delay: {
    key: 'ig.limits.overloadDelay',
    kind: time,
    default: '250ms',
    help: 'event loop delay above which calls are shed; 24h disables it',
    see: '25.13',
  },
} as const satisfies Rows
