/** The abbreviation of the server's time zone, as the system's own `date` writes it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { parseZoneText } from '../../src/base/zone-data.ts'
import { describeServer } from '../../src/serve/describe-server.ts'
import { findDatabase } from '../support/databases.ts'
import { openReference } from '../support/gateway.ts'

const own = process.env.TZ
after(() => setZone(own))

/** Both halves of the year, both hemispheres, behind the last one that a file lists. */
const days = ['1999-01-15', '2026-01-15', '2026-07-15', '2026-10-04', '2059-02-15', '2060-08-15']
const changes = ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', '2026-10-25T00:59:59Z', '2026-10-25T01:00:00Z']
const times = [...days.map((day) => Date.parse(`${day}T12:00Z`)), ...changes.map((time) => Date.parse(time))]
const zones = [
  ...['Asia/Kolkata', 'Europe/Berlin', 'Europe/Dublin', 'America/New_York', 'America/Sao_Paulo', 'Asia/Dubai'],
  ...['Australia/Sydney', 'Australia/Lord_Howe', 'Africa/Johannesburg', 'Asia/Tehran', 'Pacific/Auckland', 'UTC'],
  ...['EST5EDT', ':Europe/Paris', '/usr/share/zoneinfo/Asia/Tokyo', 'Etc/GMT+5', undefined],
]
const rules = [
  ...['CET-1CEST,M3.5.0,M10.5.0/3', 'EST5EDT,M3.2.0,M11.1.0', '<+0530>-5:30', 'AEST-10AEDT,M10.1.0,M4.1.0/3'],
  ...['IST-1GMT0,M10.5.0,M3.5.0/1', 'XYZ3XYS,J60/0,J300/0', 'XYZ3XYS,59/0,299/0', '<-02>2<-01>,M3.5.0/-1,M10.5.0/0'],
]

describe('9.2 serverTimeZone is the abbreviation that the system has', { skip: whyNot() }, () => {
  const asked = askSystem([...zones, ...rules])
  for (const [index, zone] of zones.entries())
    test(`9.2 in ${zone ?? 'the zone of the machine'}, in summer and in winter`, () => {
      setZone(zone)
      assert.deepEqual(times.map(abbreviate), asked[index])
    })

  test('9.2 METADATA of a gateway in India has IST', async () => {
    setZone('Asia/Kolkata')
    const gateway = await openReference({ database: findDatabase('SQLite') })
    const { text } = await gateway.call('GET METADATA.v1/')
    await gateway.close()
    assert.equal(JSON.parse(text).serverTimeZone, 'IST')
  })

  test('9.2 a rule instead of a name is read as the system reads it, in both hemispheres', () => {
    for (const [index, rule] of rules.entries()) {
      const zone = parseZoneText(rule)
      const read = times.map((time) => zone?.(time / 1000).abbreviation)
      assert.deepEqual(read, asked[zones.length + index], rule)
    }
  })
})

test('9.2 if the system has no abbreviation, serverTimeZone is the offset, or UTC', () => {
  setZone('Nowhere/Land')
  assert.equal(abbreviate(0), 'UTC')
  assert.equal(parseZoneText('Nowhere/Land'), undefined)
  setZone('')
  assert.equal(abbreviate(0), 'UTC')
  setZone('<+0530>-5:30') // that Node does not read
  assert.equal(abbreviate(0), 'UTC')
})

test('9.2 the abbreviation follows the clock into summer time', () => {
  setZone('Europe/Berlin')
  let now = Date.parse('2026-03-29T00:59:59Z')
  const server = describeServer(names, 'SQLITE', () => now)
  const before = server.timeZone
  now += 1000
  assert.deepEqual([before, server.timeZone], ['CET', 'CEST'])
})

const names = { dbname: 'GATEWAY', toolsRelease: '1', platformName: 'platform' }

function abbreviate(time: number): string {
  return describeServer(names, 'SQLITE', () => time).timeZone
}

function setZone(zone: string | undefined): void {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
}

/** By one shell: a process of tests is large, and each of its children costs it 20 ms. */
function askSystem(asked: readonly (string | undefined)[]): readonly string[][] {
  const script = 'for TZ; do export TZ; [ "$TZ" ] || unset TZ; date -f "$times" +%Z; echo; done'
  const folder = mkdtempSync(join(tmpdir(), 'ig-zones-'))
  const file = join(folder, 'times')
  writeFileSync(file, times.map((time) => `@${time / 1000}\n`).join(''))
  const env = { PATH: process.env.PATH, times: file }
  const { stdout } = spawnSync('sh', ['-c', script, 'sh', ...asked.map((zone) => zone ?? '')], { env })
  rmSync(folder, { recursive: true })
  return String(stdout)
    .trim()
    .split('\n\n')
    .map((zone) => zone.split('\n'))
}

function whyNot(): string | false {
  const { stdout } = spawnSync('date', ['-d', '@1767225600', '+%Z'], {
    env: { PATH: process.env.PATH, TZ: 'Asia/Kolkata' },
  })
  return String(stdout).trim() !== 'IST' && 'needs GNU date and the data of time zones (Debian: coreutils, tzdata)'
}
