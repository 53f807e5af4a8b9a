/** Facts about the server for handlers: its names, and the abbreviation of its time zone (specification 9.2). */
import { readFileSync } from 'node:fs'
import { parseZoneFile, parseZoneText, type Zone } from '../base/zone-data.ts'
import type { ServerDescription } from '../model/handler.ts'
import type { Settings } from '../settings.ts'

export function describeServer(
  { dbname, toolsRelease, platformName }: Pick<Settings, 'dbname' | 'toolsRelease' | 'platformName'>,
  dbType: ServerDescription['dbType'],
  now: () => number,
): ServerDescription {
  const zone = findZone(process.env.TZ)
  let abbreviation = ''
  let minute = -1
  return {
    dbname,
    toolsRelease,
    platformName,
    dbType,
    get timeZone() {
      const time = now()
      const current = Math.floor(time / 60_000) // summer time may begin or end
      if (current !== minute) abbreviation = abbreviate(time, zone)
      minute = current
      return abbreviation
    },
  }
}

/**
 * The process's own zone, as the system's C library finds it. @param name TZ: the name of a zone or file, or the rule
 * itself
 */
function findZone(name: string | undefined): Zone | undefined {
  const plain = name?.replace(/^:/, '')
  if (plain === '') return undefined
  const file = plain === undefined ? '/etc/localtime' : plain.startsWith('/') ? plain : `/usr/share/zoneinfo/${plain}`
  try {
    return parseZoneFile(readFileSync(file))
  } catch {
    return plain === undefined ? undefined : parseZoneText(plain)
  }
}

/** Without a zone, or with one that contradicts the clock, the offset: `GMT+5:30`. */
function abbreviate(time: number, zone: Zone | undefined): string {
  const known = zone?.(Math.floor(time / 1000))
  const offset = -new Date(time).getTimezoneOffset() * 60
  if (known?.offset === offset) return known.abbreviation
  const parts = new Intl.DateTimeFormat('en-US', { timeZoneName: 'shortOffset' }).formatToParts(time)
  return offset === 0 ? 'UTC' : (parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC')
}
