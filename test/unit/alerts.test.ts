/** Counts of a minute, and certificates that end (specification 35.9, 35.10). */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPerMinute } from '../../src/base/per-minute.ts'
import type { Event, Observation } from '../../src/model/observation.ts'
import { Refusal } from '../../src/model/refusal.ts'
import { openAlerts } from '../../src/observe/alerts.ts'
import { makeCertificate } from '../support/certificate.ts'

test('35.9 what comes often is reported once a minute: the first at once, the others at its end', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const reported: Record<string, number>[] = []
  const { count, close } = openPerMinute((counts) => void reported.push(Object.fromEntries(counts)))
  count('a')
  assert.deepEqual(reported, [{ a: 1 }])
  for (const key of ['a', 'b', 'a']) count(key)
  t.mock.timers.tick(59_999)
  assert.equal(reported.length, 1)
  t.mock.timers.tick(1)
  assert.deepEqual(reported[1], { a: 2, b: 1 })
  count('c')
  t.mock.timers.tick(60_000)
  assert.deepEqual(reported[2], { c: 1 })
  t.mock.timers.tick(60_000)
  count('d')
  assert.deepEqual(reported[3], { d: 1 })
  count('d')
  close()
  assert.deepEqual(reported.slice(4), [{ d: 1 }])
})

test('35.9 callersRefused counts calls that are refused for their credentials, and no others', () => {
  const events: Event[] = []
  const { observe, close } = openAlerts({ observe: (event) => void events.push(event as Event) })
  const refused = (code: 'basicRejected' | 'tokenRejected' | 'permissionDenied') =>
    observe({ kind: 'answered', refusal: new Refusal(code, 'wrong') } as unknown as Observation)
  refused('permissionDenied')
  observe({ kind: 'answered' } as unknown as Observation)
  assert.deepEqual(events, [])
  for (const code of ['basicRejected', 'tokenRejected', 'tokenRejected'] as const) refused(code)
  close()
  assert.deepEqual(
    events.map(({ name, detail }) => [name, detail]),
    [
      ['callersRefused', { count: 1 }],
      ['callersRefused', { count: 2 }],
    ],
  )
})

test('35.10 a certificate is reported when it ends in 30, 7 or 1 days, and when it has ended, once each; a renewed one anew', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const folder = mkdtempSync(join(tmpdir(), 'ig-alerts-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'cert.pem')
  const year = new Date().getUTCFullYear()
  writeFileSync(file, makeCertificate(1).cert)
  let now = Date.UTC(year + 1, 0, 1) - 31 * 24 * 3_600_000
  const days: unknown[] = []
  const observe = (event: Observation) => {
    if (event.kind === 'event') days.push(event.detail?.days)
    assert.match((event as Event).message, /^The certificate of ig\.tls\.cert (?:ends in|has ended)/)
  }
  const { close } = openAlerts({ observe, certificates: { 'ig.tls.cert': file }, now: () => now })
  t.after(close)
  const wait = (more: number) => {
    for (let hour = 0; hour < more * 24; hour += 1) {
      now += 3_600_000
      t.mock.timers.tick(3_600_000)
    }
  }
  assert.deepEqual(days, [])
  wait(32)
  assert.deepEqual(days, [30, 7, 1, 0])
  writeFileSync(file, makeCertificate(2).cert)
  wait(1)
  writeFileSync(file, makeCertificate(1).cert)
  wait(1)
  assert.deepEqual(days, [30, 7, 1, 0, 0])
})
