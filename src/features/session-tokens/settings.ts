/** How long session tokens are valid. */
import { age } from '../../settings/kinds.ts'
import type { Rows } from '../../settings/row.ts'

/** As in the original, a number alone is minutes. */
const lifetime = {
  values: 'time: 720 (minutes), 30min, 12h, 7d',
  parse(text: string): number {
    const milliseconds = age.parse(/^\d+$/.test(text) ? `${text}min` : text)
    if (milliseconds >= 60_000) return milliseconds
    throw new Error('must be at least 1min')
  },
}

export const settings = {
  /** Milliseconds. */
  lifetime: {
    key: 'ig.sessionToken.lifetime',
    kind: lifetime,
    default: '720min',
    help: 'lifetime of a session token',
    see: '27.4',
  },
} as const satisfies Rows
