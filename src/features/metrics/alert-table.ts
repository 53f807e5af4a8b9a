/** The alerts of every gateway (specification 43.7); features add theirs. `find-alerts.ts` finds some without Prometheus. */
import type { AlertRows } from '../../model/alert.ts'
import { burnRates, leastCalls } from './burn-rates.ts'

const credentials = 'ig_refusals_total{code=~"basicRejected|tokenRejected|sessionTokenRejected|permissionDenied"}'
const refusedNow = `sum by (instance, code) (rate(${credentials}[10m]))`
const sumOfOperation = 'sum by (cluster, environment, job, operation)'
const notRefused = 'ig_requests_total{outcome!="refused"}'

/** Of all instances of a cluster together. */
function missesObjective({ rate, long, short }: (typeof burnRates)[keyof typeof burnRates]): string {
  const burns = (time: string) =>
    `${sumOfOperation} (rate(ig_requests_total{outcome="failed"}[${time}]) or rate(ig_slow_calls_total[${time}]))
    / ${sumOfOperation} (rate(${notRefused}[${time}]))
    > ${rate} * max by (cluster, environment, job, operation) (ig_slo_errors_allowed)`
  return `${burns(`${long / 60}h`)}
  and ${burns(`${short}m`)}
  and ${sumOfOperation} (increase(${notRefused}[${long / 60}h])) >= ${leastCalls}`
}

const expires = 'min by (instance, listener) (ig_certificate_expires_timestamp_seconds) - time()'

export const alerts = {
  GatewayMissing: {
    title: 'An instance is missing',
    severity: 'critical',
    means: 'The instance no longer reports. For Prometheus, its metrics listener may be missing too.',
    action: 'GET /healthz of the instance tells which. Restart it, or check its network.',
    rule: {
      expr: 'up{job="integration-gateway"} == 0',
      for: '1m',
      summary: '{{ $labels.instance }} gives no metrics',
    },
  },
  GatewayFaults: {
    title: 'Calls fail',
    severity: 'critical',
    means: 'Calls get 5xx. Those refused because of their callers do not count.',
    action:
      'Open the failed calls in the monitor, or read errorLog for the reasons. If a revision began it, roll it back.',
    rule: {
      expr: `sum by (instance) (rate(ig_requests_total{outcome="failed"}[5m]))
  / sum by (instance) (rate(ig_requests_total{operation!="(health)",outcome!="refused"}[5m])) > 0.01`,
      for: '5m',
      summary: '{{ $labels.instance }} fails more than 1 % of its calls',
    },
  },
  GatewayRefusalsRise: {
    title: 'Many more calls are refused than yesterday',
    severity: 'warning',
    means: 'A client lost its credentials or a grant, or passwords are being guessed.',
    action: 'See the refused calls in the monitor. In the observed style these may be a 200.',
    rule: {
      // Of an instance that was not there yesterday, yesterday counts as none.
      expr: `${refusedNow} > 1
  and ${refusedNow}
    > 5 * (
      sum by (instance, code) (rate(${credentials}[10m] offset 1d))
        or 0 * ${refusedNow}
    )`,
      for: '10m',
      summary: '{{ $labels.instance }} refuses five times as many calls as yesterday: {{ $labels.code }}',
    },
  },
  GatewaySlow: {
    title: 'An operation is slow',
    severity: 'warning',
    means: 'Its handler takes long, or what the handler waits for: the database, another server.',
    action: 'The steps of a slow call, in the monitor or a trace, show where the time goes.',
    rule: {
      expr: `histogram_quantile(0.99, sum by (instance, operation, le) (rate(ig_request_duration_seconds_bucket{operation!="(health)"}[5m]))) > 2
  and sum by (instance, operation) (rate(ig_request_duration_seconds_count[5m])) > 0.1`,
      for: '10m',
      summary: '{{ $labels.operation }} takes more than 2 s at {{ $labels.instance }} (p99)',
    },
  },
  GatewayObjectiveFarMissed: {
    title: 'An operation is far below its objective',
    severity: 'critical',
    means:
      'In the last hour and the last 5 minutes, 14.4 times as many calls failed or were slow as its slo allows: the errors of 30 days would be used up in two days.',
    action: 'Open its failed or slow calls in the monitor. If a revision began it, roll it back.',
    rule: {
      expr: missesObjective(burnRates.GatewayObjectiveFarMissed),
      summary: '{{ $labels.operation }} fails or is slow 14.4 times as often as its slo allows',
    },
  },
  GatewayObjectiveMissed: {
    title: 'An operation is below its objective',
    severity: 'warning',
    means:
      'In the last 6 hours and the last 30 minutes, 6 times as many calls failed or were slow as its slo allows: the errors of 30 days would be used up in five days.',
    action: 'Open its failed or slow calls in the monitor: their steps show where the time goes.',
    rule: {
      expr: missesObjective(burnRates.GatewayObjectiveMissed),
      summary: '{{ $labels.operation }} fails or is slow 6 times as often as its slo allows',
    },
  },
  GatewayStoreStale: {
    title: 'The database does not answer',
    severity: 'critical',
    means: 'Calls that need no database continue; changes are not seen. The instance stays ready: do not remove it.',
    action: 'Check the database and the network to it.',
    rule: {
      expr: 'max by (instance) (ig_store_stale) == 1',
      for: '1m',
      summary: '{{ $labels.instance }} has not read its database for a minute',
    },
  },
  GatewayStoreFull: {
    title: 'The database cannot be written',
    severity: 'critical',
    means: 'Its disk is full (storeFull), or the disk of an SQLite file failed (storeFailed). Calls that write fail.',
    action: 'Read which one it is in the log; free space, or check the disk.',
    conditions: ['storeFull'],
    rule: {
      expr: `max by (instance) (ig_condition{condition="storeFull"}) == 1
  or sum by (instance) (increase(ig_events_total{event="storeFailed"}[10m])) > 0`,
      summary: '{{ $labels.instance }} cannot write to its database',
    },
  },
  GatewayStoreDamaged: {
    title: 'A database file is missing or damaged',
    severity: 'critical',
    means: 'The SQLite file was removed, replaced or is damaged. Calls that need it, or that write, are refused.',
    action: 'Do what the log and /readyz say of the file: put it back, or restore a backup.',
    conditions: ['storeFileGone', 'storeDamaged'],
    rule: {
      expr: 'max by (instance) (ig_condition{condition=~"storeFileGone|storeDamaged"}) == 1',
      summary: 'A database file of {{ $labels.instance }} was removed, replaced or is damaged',
    },
  },
  GatewayUnready: {
    title: 'An instance takes no more calls',
    severity: 'critical',
    means: 'Its connections are used up, or a resource of a handler is not available. /readyz reports 503.',
    action:
      'Add instances or raise the limits if its connections are full; else check the resource that /readyz names.',
    conditions: ['connectionsFull', 'resourceAway'],
    rule: {
      expr: 'max by (instance, condition) (ig_condition{condition=~"connectionsFull|resourceAway"}) == 1',
      for: '1m',
      summary: '{{ $labels.instance }} is not ready: {{ $labels.condition }}',
    },
  },
  GatewayRevisionsDiffer: {
    title: 'Instances serve different revisions',
    severity: 'warning',
    means: 'One lacks the code of a handler (revisionRefused), or does not see the database.',
    action: 'The list of instances shows which one is behind; deploy the code that it lacks.',
    rule: {
      // Gateways of one database are compared: give each environment a label (prometheus.yaml), or a job of its own.
      expr: 'max by (cluster, environment, job) (ig_revision_served) != min by (cluster, environment, job) (ig_revision_served)',
      for: '2m',
      summary:
        'Processes of {{ $labels.job }} {{ $labels.cluster }} {{ $labels.environment }} serve different revisions',
    },
  },
  GatewayRevisionRefused: {
    title: 'A process cannot serve the active revision',
    severity: 'warning',
    means: 'It serves an earlier revision.',
    action: 'The error log has the reasons (revisionRefused). Deploy the code that it lacks, or roll back.',
    conditions: ['revisionRefused'],
    rule: {
      expr: 'max by (instance, worker) (ig_revision_active) != max by (instance, worker) (ig_revision_served)',
      for: '1m',
      summary: 'Worker {{ $labels.worker }} of {{ $labels.instance }} cannot serve the active revision',
    },
  },
  GatewayRollingFailed: {
    title: 'Workers could not be replaced',
    severity: 'warning',
    means: 'The code or settings that should be loaded cannot serve; those loaded before still do.',
    action: 'Fix them and send SIGHUP again. The alert is active for an hour.',
    rule: {
      expr: 'sum by (instance) (increase(ig_events_total{event="rollingFailed"}[1h])) > 0',
      summary: '{{ $labels.instance }} could not replace its workers',
    },
  },
  GatewayWorkersDie: {
    title: 'Workers fail repeatedly',
    severity: 'critical',
    means: 'Workers end or block and are replaced. Their calls in progress are lost.',
    action: 'Find the handler in the preceding lines of the log.',
    rule: {
      expr: 'sum by (instance) (increase(ig_events_total{event=~"workerDied|workerStalled|workerBackoff|uncaughtException"}[15m])) > 2',
      summary: '{{ $labels.instance }} replaces its workers again and again',
    },
  },
  GatewayEventLoopLate: {
    title: 'An instance is overloaded',
    severity: 'warning',
    means: 'A handler computes for long without waiting, or there are too few workers.',
    action: 'Find the operation whose calls became slow; add workers (ig.workers) or instances.',
    rule: {
      expr: 'max by (instance, worker) (nodejs_eventloop_lag_p99_seconds) > 0.1',
      for: '5m',
      summary: 'Worker {{ $labels.worker }} of {{ $labels.instance }} is late by more than 100 ms',
    },
  },
  GatewayMemory: {
    title: 'An instance uses much memory',
    severity: 'warning',
    means: 'Its processes use more than ig.alerts.memory.',
    action: 'If it grows for days, a handler keeps what it should not; else raise the threshold, or add instances.',
  },
  GatewayDatabaseBusy: {
    title: 'Transactions wait for a connection',
    severity: 'warning',
    means: 'All connections to the database are in use. If this continues, calls are refused as overloaded.',
    action: 'Allow more connections (ig.database.connections), or shorten the transactions.',
    rule: {
      expr: 'max by (instance, worker, pool) (ig_database_waiting) > 20',
      for: '2m',
      summary: 'Transactions wait at {{ $labels.instance }} ({{ $labels.pool }})',
    },
  },
  GatewayLogDropped: {
    title: 'Log entries are dropped',
    severity: 'warning',
    means: 'The disk, or the reader of standard output, is too slow for them, or the disk is full.',
    action: 'Free space, use a faster disk, or log less (ig.log.level).',
    conditions: ['logFailed'],
    rule: {
      expr: 'sum by (instance, log) (increase(ig_log_dropped_total[10m])) > 0',
      summary: '{{ $labels.instance }} drops entries of its {{ $labels.log }} log',
    },
  },
  GatewayKeysUnreachable: {
    title: 'The identity provider cannot be used',
    severity: 'critical',
    means:
      'Its keys cannot be read. Known keys still work; without them, or once they change, bearer tokens are refused.',
    action: 'Read the message in the log; check ig.JSONWebKey, the service app and the provider.',
    conditions: ['providerUnusable'],
    rule: {
      expr: 'sum by (instance) (increase(ig_events_total{event=~"keysUnreachable|providerUnusable"}[15m])) > 0',
      summary: '{{ $labels.instance }} cannot read the keys of its identity provider',
    },
  },
  GatewayClockOff: {
    title: 'A clock is wrong',
    severity: 'warning',
    means: "The machine's clock differs from that of the database. Tokens may be refused.",
    action: 'Set the clock (NTP).',
    rule: {
      expr: 'max by (instance) (abs(ig_clock_offset_seconds)) > 5',
      for: '1m',
      summary: "The clock of {{ $labels.instance }} differs by {{ $value }} s from its database's",
    },
  },
  GatewaySignInsRefused: {
    title: 'Many attempts to sign in are refused',
    severity: 'warning',
    means: 'Passwords of administrators are being guessed, or a script has an old one.',
    action: 'The log has names and addresses (signInFailed). Block the address at the firewall.',
    rule: {
      expr: 'sum by (instance) (increase(ig_events_total{event="signInFailed"}[10m])) > 20',
      summary: '{{ $labels.instance }} refuses many attempts to sign in to administration',
    },
  },
  GatewayCertificateExpires: {
    title: 'A certificate expires within 14 days',
    severity: 'warning',
    means: 'Clients refuse it once it has expired.',
    action: 'Replace its file, then send SIGHUP (with one worker, restart).',
    rule: {
      expr: `${expires} < 14 * 86400`,
      summary: 'A certificate of {{ $labels.instance }} ({{ $labels.listener }}) expires in less than 14 days',
    },
  },
  GatewayCertificateExpiresNow: {
    title: 'A certificate expires within two days',
    severity: 'critical',
    means: 'Clients refuse it once it has expired, which may already be so.',
    action: 'Replace its file now, then send SIGHUP (with one worker, restart).',
    rule: {
      expr: `${expires} < 2 * 86400`,
      summary:
        'A certificate of {{ $labels.instance }} ({{ $labels.listener }}) expires in less than two days, or has expired',
    },
  },
  GatewayDescriptorsGrow: {
    title: 'A process has very many open files and connections',
    severity: 'warning',
    means: 'It may reach the limit of the system, and then closes connections.',
    action: "Compare ig_connections with what you expect; the limit is the unit's LimitNOFILE.",
    rule: {
      expr: 'max by (instance, worker) (process_open_fds) > 50000',
      for: '10m',
      summary: 'Worker {{ $labels.worker }} of {{ $labels.instance }} has more than 50,000 open files and connections',
    },
  },
} as const satisfies AlertRows
