/** Metrics and their listener. */
import { host, orOff, portOrOff, size, time, whole, yesOrNo } from '../../settings/kinds.ts'
import type { Rows } from '../../settings/row.ts'

export const settings = {
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
  alerts: {
    failures: {
      key: 'ig.alerts.failures',
      kind: orOff(whole('percent', 1, 100)),
      default: '5',
      help: "an alert is active if a larger share of an operation's calls that were not refused failed within five minutes",
      see: '43.7',
    },
    latency: {
      key: 'ig.alerts.latency',
      kind: orOff(time),
      default: '2s',
      help: 'an alert is active if more than one in twenty calls of an operation took longer within five minutes',
      see: '43.7',
    },
    delay: {
      key: 'ig.alerts.eventLoopDelay',
      kind: orOff(time),
      default: '200ms',
      help: "an alert is active if an instance's event loop delay was longer in each of three minutes",
      see: '43.7',
    },
    memory: {
      key: 'ig.alerts.memory',
      kind: orOff(size),
      default: 'off',
      help: "an alert is active if an instance's processes used more memory in each of three minutes",
      see: '43.7',
    },
  },
} as const satisfies Rows
