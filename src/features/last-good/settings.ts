/** The last-good copy. */
import { age, file } from '../../settings/kinds.ts'
import type { Rows, Values } from '../../settings/row.ts'

export const settings = {
  file: {
    key: 'ig.lastGood.file',
    kind: file,
    default: 'data/last-good',
    help: 'copy of configuration, operators and keys with which ig start can start during a PostgreSQL outage; needs ig.secretKey',
    see: '17.15',
  },
  /** Milliseconds. */
  maxAge: { key: 'ig.lastGood.maxAge', kind: age, default: '24h', help: 'an older copy is refused', see: '17.16' },
} as const satisfies Rows

export function secretFiles({ lastGood }: { readonly lastGood: Values<typeof settings> }): readonly string[] {
  return [lastGood.file]
}
