/** Settings of the monitor (specification 21.2, 21.3, 21.6, 21.7). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../src/settings.ts'

function read(values: Readonly<Record<string, string>>) {
  const given = Object.entries(values).map(([key, value]) => [key, { value, option: 'test' }] as const)
  return readSettings('/nowhere', {}, Object.fromEntries(given)).monitor
}

test('8.3, 21.2, 21.3, 21.6, 21.7 the monitor is on, and keeps a million transactions of a week', () => {
  assert.deepEqual(read({}), {
    isOn: true,
    perSecond: 1000,
    bodyBytes: 16_384,
    days: 7,
    transactions: 1_000_000,
    bytes: 1_073_741_824,
  })
  const values = {
    'ig.monitor': 'off',
    'ig.monitor.perSecond': '200',
    'ig.monitor.bodySize': '64KiB',
    'ig.monitor.days': '30',
    'ig.monitor.transactions': '5000',
    'ig.monitor.size': '2GiB',
  }
  assert.deepEqual(read(values), {
    isOn: false,
    perSecond: 200,
    bodyBytes: 65_536,
    days: 30,
    transactions: 5000,
    bytes: 2 * 1024 ** 3,
  })
})

for (const [key, value] of [
  ['ig.monitor', 'true'],
  ['ig.monitor.bodySize', '65KiB'],
  ['ig.monitor.transactions', '999'],
] as const)
  test(`8.2 an invalid value stops the start: ${key}=${value}`, () => {
    assert.throws(() => read({ [key]: value }), new RegExp(`^SettingsProblems: ${key.replaceAll('.', '\\.')} must be `))
  })
