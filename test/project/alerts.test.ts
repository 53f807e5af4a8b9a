/** Each alert of `deploy/observability/` fires when it should, and does not when it should not: `promtool test rules`. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import type { CallOutcome } from '../../src/model/refusal.ts'
import { afterwards } from '../support/afterwards.ts'
import { skipWithout } from '../support/proxies.ts'

const file = join(import.meta.dirname, '../../deploy/observability/alerts.yaml')

/** By series its values, one a minute, as `promtool` writes them: `0+60x30` is 0, 60, 120… */
type Series = Readonly<Record<string, string>>

interface Row {
  readonly fires: readonly Series[]
  readonly staysQuiet: readonly Series[]
  /** Minutes until it is looked at; 30. */
  readonly after?: number
}

const event = (name: string) => `ig_events_total{instance="a",event="${name}"}`
const holding = (name: string) => `ig_condition{instance="a",worker="1",condition="${name}"}`
const refused = (code: string, instance = 'a') => `ig_refusals_total{instance="${instance}",code="${code}"}`
const calls = (le = '') =>
  `ig_request_duration_seconds_${le ? `bucket{le="${le}",` : 'count{'}instance="a",operation="X_GET.v1"}`
const ended = (outcome: string) => `ig_requests_total{instance="a",operation="X_GET.v1",outcome="${outcome}"}`
const ran = (outcome: string) => `ig_job_runs_total{instance="a",name="X",outcome="${outcome}"}`
const day = 86_400

const rows: Readonly<Record<string, Row>> = {
  GatewayMissing: {
    fires: [{ 'up{job="integration-gateway",instance="a"}': '0x30' }],
    staysQuiet: [{ 'up{job="integration-gateway",instance="a"}': '1x30' }, { 'up{job="other",instance="a"}': '0x30' }],
  },
  GatewayFaults: {
    fires: [{ [ended('failed')]: '0+6x30', [ended('served')]: '0+60x30', [ended('refused')]: '0+600x30' }],
    staysQuiet: [
      { [ended('refused')]: '0+60x30', [ended('served')]: '0+60x30' },
      { [ended('refused')]: '0+37x30', [ended('failed')]: '0+1x30', [ended('served')]: '0+100x30' },
    ],
  },
  GatewayRefusalsRise: {
    after: 1530,
    fires: [
      { [refused('tokenRejected')]: '0x1470 0+120x60' }, // none yesterday
      { [refused('tokenRejected')]: '_x1470 0+120x60' }, // no series yesterday
      { [refused('basicRejected')]: '0+60x1470 88200+600x60' },
    ],
    staysQuiet: [
      { [refused('tokenRejected')]: '0+120x1530' }, // as yesterday
      { [refused('tokenRejected')]: '0+120x120 14400x1349 14400+120x60' }, // as yesterday at this hour
      { [refused('tokenRejected')]: '0x1470 0+30x60' }, // few
      { [refused('uriNotMatched')]: '0x1470 0+120x60' },
    ],
  },
  GatewaySlow: {
    fires: [{ [calls()]: '0+60x30', [calls('2.0')]: '0+6x30', [calls('5.0')]: '0+60x30', [calls('+Inf')]: '0+60x30' }],
    staysQuiet: [{ [calls()]: '0+60x30', [calls('2.0')]: '0+60x30', [calls('+Inf')]: '0+60x30' }],
  },
  GatewayObjectiveFarMissed: {
    after: 120,
    fires: [
      slo({ served: '0+984x120', failed: '0+16x120', slow: '0x120' }),
      slo({ served: '0+1000x120', slow: '0+16x120' }), // none has failed, ever
      slo({ served: '0+984x120', failed: '0+16x120' }), // without a latency
    ],
    staysQuiet: [
      slo({ served: '0+992x120', failed: '0+8x120', slow: '0x120' }), // 8 times
      slo({ served: '0+900x110 99000+1000x10', failed: '0+100x110 11000x10' }), // no more
      slo({ served: '0+1000x115 115000+900x5', failed: '0x115 0+100x5' }), // 8.3 times in the hour
      slo({ served: '0x115 0+1x5', failed: '0x115 0+2x5' }), // few calls
      slo({ served: '0+1000x120', refused: '0+500x120', slow: '0+1x120' }),
    ],
  },
  GatewayObjectiveMissed: {
    after: 420,
    fires: [
      slo({ served: '0+992x420', failed: '0+8x420' }),
      slo({ served: '0+1000x420', failed: '0+4x420', slow: '0+4x420' }), // together
    ],
    staysQuiet: [
      slo({ served: '0+995x420', failed: '0+5x420' }),
      slo({ served: '0+1000x380 380000+1000x40', failed: '0+20x380 7600x40' }), // no more
      slo({ served: '0+1000x400 400000+900x20', failed: '0x400 0+20x20' }), // 1.1 times in six hours
    ],
  },
  GatewayStoreStale: gauge('ig_store_stale{instance="a",worker="1"}', 1, 0),
  GatewayStoreFull: {
    after: 600, // it fires for as long as there is no room
    fires: [{ [holding('storeFull')]: '1x600' }, { [event('storeFailed')]: '0x595 1x5' }],
    staysQuiet: [
      { [holding('storeFull')]: '0x600', [holding('storeDamaged')]: '1x600', [event('storeFailed')]: '1x600' },
    ],
  },
  GatewayStoreDamaged: {
    after: 600,
    fires: ['storeFileGone', 'storeDamaged'].map((name) => ({ [holding(name)]: '1x600' })),
    staysQuiet: [{ [holding('storeFileGone')]: '0x600', [holding('storeFull')]: '1x600' }],
  },
  GatewayUnready: gauge(holding('connectionsFull'), 1, 0),
  GatewayRevisionsDiffer: {
    fires: [{ [served('a', 'production')]: '4x30', [served('b', 'production')]: '3x30' }],
    staysQuiet: [{ [served('a', 'production')]: '4x30', [served('b', 'test')]: '9x30' }],
  },
  GatewayRevisionRefused: {
    after: 600, // it fires for as long as the revision is refused
    fires: [
      {
        'ig_revision_active{instance="a",worker="1"}': '4x600',
        'ig_revision_served{instance="a",worker="1"}': '3x600',
      },
    ],
    staysQuiet: [
      {
        'ig_revision_active{instance="a",worker="1"}': '4x600',
        'ig_revision_served{instance="a",worker="1"}': '4x600',
      },
    ],
  },
  GatewayRollingFailed: counter(event('rollingFailed')),
  GatewayWorkersDie: {
    fires: [{ [event('workerDied')]: '0x25 4x5' }],
    staysQuiet: [{ [event('workerDied')]: '0x25 1x5' }],
  },
  GatewayEventLoopLate: gauge('nodejs_eventloop_lag_p99_seconds{instance="a",worker="1"}', 0.2, 0.05),
  GatewayDatabaseBusy: gauge('ig_database_waiting{instance="a",worker="1",pool="handlers"}', 30, 5),
  GatewayLogDropped: counter('ig_log_dropped_total{instance="a",log="error"}'),
  GatewayKeysUnreachable: counter(event('keysUnreachable')),
  GatewayClockOff: {
    fires: [-9, 9].map((seconds) => ({ 'ig_clock_offset_seconds{instance="a",worker="1"}': `${seconds}x30` })),
    staysQuiet: [{ 'ig_clock_offset_seconds{instance="a",worker="1"}': '-1x30' }],
  },
  GatewaySignInsRefused: {
    fires: [{ [event('signInFailed')]: '0+5x30' }],
    staysQuiet: [{ [event('signInFailed')]: '0+1x30' }],
  },
  GatewayCertificateExpires: expiry(10 * day, 30 * day),
  GatewayCertificateExpiresNow: expiry(day, 10 * day),
  GatewayMonitorAway: {
    fires: [
      { [event('monitorAway')]: '0x25 1x5' },
      { 'ig_monitor_lost_total{instance="a",reason="database"}': '0+9x30' },
    ],
    staysQuiet: [{ [event('monitorAway')]: '1x30', 'ig_monitor_lost_total{instance="a",reason="rate"}': '0+9x30' }],
  },
  GatewayJobFails: {
    fires: [{ [ran('failed')]: '0x20 1x10' }, { [ran('timedOut')]: '3x20 4x10' }],
    staysQuiet: [{ [ran('succeeded')]: '0+1x30' }, { [ran('failed')]: '5x30' }],
  },
  GatewayMonitorLoses: {
    fires: [{ 'ig_monitor_lost_total{instance="a",reason="rate"}': '0+9x30' }],
    staysQuiet: [{ 'ig_monitor_lost_total{instance="a",reason="rate"}': '9x30' }],
  },
  GatewayTracesDropped: {
    fires: [{ 'ig_trace_spans_total{instance="a",fate="dropped"}': '0+9x30' }],
    staysQuiet: [{ 'ig_trace_spans_total{instance="a",fate="exported"}': '0+9x30' }],
  },
  GatewayDescriptorsGrow: gauge('process_open_fds{instance="a",worker="1"}', 60_000, 500),
}

test('every alert fires when it should, and not when it should not', skipWithout('promtool', 'prometheus'), () => {
  const { groups } = parse(readFileSync(file, 'utf8')) as { groups: { rules: { alert: string; for?: string }[] }[] }
  const alerts = groups.flatMap(({ rules }) => rules)
  assert.deepEqual(Object.keys(rows).sort(), alerts.map(({ alert }) => alert).sort(), 'a row for each alert')

  const patient = new Set(alerts.flatMap(({ alert, for: patience }) => (patience ? [alert] : [])))
  const tests = Object.entries(rows).flatMap(([alert, { fires, staysQuiet, after = 30 }]) => [
    ...fires.map((series) => toTest(alert, series, after, true)),
    ...staysQuiet.map((series) => toTest(alert, series, after, false)),
    ...(patient.has(alert)
      ? fires.slice(0, 1).map((series) => toTest(alert, begunLate(series, after), after, false))
      : []),
  ])
  const folder = mkdtempSync(join(tmpdir(), 'ig-alerts-'))
  afterwards(() => rmSync(folder, { recursive: true }))
  for (const every of ['5m', '30m']) {
    const suite = join(folder, `${every}.json`) // JSON is YAML
    const due = tests.filter(({ evaluatedEvery }) => evaluatedEvery === every).map(({ group }) => group)
    writeFileSync(suite, JSON.stringify({ rule_files: [file], evaluation_interval: every, tests: due }))
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', suite], { encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
  }
})

/** Two minutes ago, and looked at for the first time since. */
function begunLate(series: Series, minutes: number): Series {
  return Object.fromEntries(Object.entries(series).map(([name, values]) => [name, `_x${minutes - 3} ${values}`]))
}

function toTest(alert: string, series: Series, minutes: number, fires: boolean) {
  const group = {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: `count by (alertname) (ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: `${minutes}m`,
        exp_samples: fires ? [{ labels: `{alertname="${alert}"}`, value: 1 }] : [],
      },
    ],
  }
  return { evaluatedEvery: minutes > 100 ? '30m' : '5m', group } // a day by the minute takes a minute
}

/** An operation with an `slo` of 99.9%. */
function slo({ slow, ...outcomes }: Readonly<Partial<Record<CallOutcome | 'slow', string>>>): Series {
  const of = 'instance="a",operation="X_GET.v1"'
  return {
    [`ig_slo_errors_allowed{${of}}`]: '0.001x500',
    ...(slow !== undefined && { [`ig_slow_calls_total{${of}}`]: slow }),
    ...Object.fromEntries(Object.entries(outcomes).map(([outcome, values]) => [ended(outcome), values])),
  }
}

function gauge(series: string, high: number, low: number): Row {
  return { fires: [{ [series]: `${high}x30` }], staysQuiet: [{ [series]: `${low}x30` }] }
}

/** It was there at nothing, and rose just now; or rose long ago. */
function counter(series: string): Row {
  return { fires: [{ [series]: '0x25 1x5' }], staysQuiet: [{ [series]: '1x30' }] }
}

function served(instance: string, environment: string): string {
  return `ig_revision_served{job="integration-gateway",instance="${instance}",environment="${environment}"}`
}

/** Time begins at 0 there. */
function expiry(near: number, far: number): Row {
  return gauge('ig_certificate_expires_timestamp_seconds{instance="a",listener="calls"}', near, far)
}
