/** Metrics and their listener. */
import { host, portOrOff, whole, yesOrNo } from '../kinds.ts'
import type { Rows } from '../row.ts'

export const metrics = {
  isOn: {
    key: 'ig.metrics',
    kind: yesOrNo('on', 'off'),
    default: 'on',
    help: 'counts calls for /metrics and the overview of administration',
    see: '20.7',
  },
  host: {
    key: 'ig.metrics.host',
    kind: host,
    default: '127.0.0.1',
    help: 'address of the metrics listener; 0.0.0.0 for all networks, without credentials',
    see: '20.6',
  },
  /** Undefined: only the administration listener serves them. */
  port: {
    key: 'ig.metrics.port',
    kind: portOrOff,
    default: 'off',
    help: 'port of a separate /metrics listener without credentials; off: /metrics of administration, with API tokens',
    see: '20.6',
  },
  operations: {
    key: 'ig.metrics.operations',
    kind: whole('operations', 1, 100_000),
    default: '1000',
    help: 'operations with their own metrics; the others are counted together',
    see: '20.5',
  },
} as const satisfies Rows
