/** Settings of metrics (specification 20.5 to 20.7, 43.7). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../src/settings.ts'

function read(values: Readonly<Record<string, string>>) {
  const given = Object.entries(values).map(([key, value]) => [key, { value, option: 'test' }] as const)
  return readSettings('/nowhere', {}, Object.fromEntries(given)).metrics
}

test('8.3, 20.5, 20.6, 20.7, 43.7 calls are counted, of 1,000 operations, without a listener; alerts have thresholds', () => {
  assert.deepEqual(read({}), {
    isOn: true,
    host: '127.0.0.1',
    port: undefined,
    operations: 1000,
    alerts: { failures: 5, latency: 2000, delay: 200, memory: undefined },
  })
  const values = {
    'ig.metrics': 'off',
    'ig.metrics.host': '0.0.0.0',
    'ig.metrics.port': '9464',
    'ig.metrics.operations': '5',
    'ig.alerts.failures': '12',
    'ig.alerts.latency': '3s',
    'ig.alerts.eventLoopDelay': '150ms',
    'ig.alerts.memory': '512MiB',
  }
  assert.deepEqual(read(values), {
    isOn: false,
    host: '0.0.0.0',
    port: 9464,
    operations: 5,
    alerts: { failures: 12, latency: 3000, delay: 150, memory: 512 * 1024 ** 2 },
  })
})
