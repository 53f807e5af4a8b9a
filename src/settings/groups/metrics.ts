/** Metrics, and where they are read. */
import { host, portOrOff, whole, yesOrNo } from '../kinds.ts'
import type { Rows } from '../row.ts'

export const metrics = {
  isOn: {
    key: 'ig.metrics',
    kind: yesOrNo('on', 'off'),
    default: 'on',
    help: 'whether calls are counted, for /metrics and the overview of administration',
    see: '20.7',
  },
  host: {
    key: 'ig.metrics.host',
    kind: host,
    default: '127.0.0.1',
    help: 'where the listener of metrics listens; 0.0.0.0 for all networks, without credentials',
    see: '20.6',
  },
  /** Undefined: the administration listener alone has them. */
  port: {
    key: 'ig.metrics.port',
    kind: portOrOff,
    default: 'off',
    help: 'a listener for /metrics alone, without credentials; off: administration has them, for API tokens',
    see: '20.6',
  },
  operations: {
    key: 'ig.metrics.operations',
    kind: whole('operations', 1, 100_000),
    default: '1000',
    help: 'that have metrics of their own; calls of further ones are counted together',
    see: '20.5',
  },
} as const satisfies Rows
