/** The monitor: its transactions and their retention. */
import { loggedBodyBytes } from '../../model/operation-terms.ts'
import { size, whole, yesOrNo } from '../../settings/kinds.ts'
import type { Rows } from '../../settings/row.ts'

const bodySize = {
  ...size,
  parse(text: string): number {
    const bytes = size.parse(text)
    if (bytes <= loggedBodyBytes) return bytes
    throw new Error('must be at most 64KiB: more is not kept of a body')
  },
}

export const settings = {
  isOn: {
    key: 'ig.monitor',
    kind: yesOrNo('on', 'off'),
    default: 'on',
    help: 'records transactions for the monitor of administration',
    see: '21.7',
  },
  /** By all processes of the instance. */
  perSecond: {
    key: 'ig.monitor.perSecond',
    kind: whole('transactions', 1, 100_000),
    default: '1000',
    help: 'maximum transactions recorded per second, errors first; others are only counted',
    see: '21.3',
  },
  bodyBytes: {
    key: 'ig.monitor.bodySize',
    kind: bodySize,
    default: '16KiB',
    help: 'maximum size recorded of a body, for operations with log detail headerAndDetail',
    see: '21.2',
  },
  days: {
    key: 'ig.monitor.days',
    kind: whole('days', 1, 3650),
    default: '7',
    help: 'retention time; older transactions are deleted',
    see: '21.6',
  },
  transactions: {
    key: 'ig.monitor.transactions',
    kind: whole('transactions', 1000, 100_000_000),
    default: '1000000',
    help: 'maximum number of transactions; the oldest are deleted first',
    see: '21.6',
  },
  bytes: {
    key: 'ig.monitor.size',
    kind: size,
    default: '1GiB',
    help: 'approximate disk limit; the oldest are deleted first',
    see: '21.6',
  },
} as const satisfies Rows
