/** A time as everything shows it: in the chosen zone, and relative to the gateway's clock. */
import { Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { gatewayClock } from '../api/clock.ts'
import { useKept } from './kept.ts'

export const zonePlace = 'times'

export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** `UTC`, or the zone of the browser. */
export function useZone(): string {
  return useKept(zonePlace) === 'UTC' ? 'UTC' : browserZone
}

interface Props {
  /** ISO 8601. */
  readonly time: string
  readonly hasMilliseconds?: boolean
  /** Only the title has the relative time. */
  readonly isAbsolute?: boolean
  /** Only how long ago: the rest is in the title. */
  readonly isRelative?: boolean
  /** Leaves out the date, if it is today. */
  readonly isShort?: boolean
}

export function Moment({
  time,
  hasMilliseconds = false,
  isAbsolute = false,
  isShort = false,
  isRelative = false,
}: Props) {
  const zone = useZone()
  const now = useNow()
  const date = new Date(time)
  const written = writeTime(date, zone)
  const distance = describeDistance(date.getTime() - now)
  const isToday = written.slice(0, 10) === writeTime(new Date(now), zone).slice(0, 10)
  const title = `${writeTime(date, zone, true)} ${nameZone(date, zone)}\n${date.toISOString()}\n${distance}`
  return (
    <time dateTime={time} title={title}>
      <span className="numbers">
        {isRelative ? distance : isShort && isToday ? written.slice(11) : written}
        {hasMilliseconds && <span className="only-wide-inline">.{millisecondsOf(date)}</span>}
      </span>
      {!isAbsolute && !isRelative && (
        <>
          {' '}
          <Text span inherit c="dimmed">
            {distance}
          </Text>
        </>
      )}
    </time>
  )
}

/** `2026-11-21 18:25:07` */
export function writeTime(date: Date, zone: string, hasMilliseconds = false): string {
  const text = formatOf(zone).format(date)
  return hasMilliseconds ? `${text}.${millisecondsOf(date)}` : text
}

function millisecondsOf(date: Date): string {
  return String(date.getMilliseconds()).padStart(3, '0')
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  const format = known ?? new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  if (!known) formats.set(zone, format)
  return format
}

/** `Europe/Berlin (GMT+01:00)`: the offset of that time, which summer time changes. */
export function nameZone(date: Date, zone: string): string {
  if (zone === 'UTC') return 'UTC'
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(date)
  return `${zone} (${parts.find(({ type }) => type === 'timeZoneName')?.value})`
}

/** Milliseconds between two looks at the clock: the smallest unit shown is a minute. */
const tick = 15_000
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** `3 min. ago`, `in 2 days` */
export function describeDistance(milliseconds: number): string {
  const [unit, length] = units.find(([, each]) => Math.abs(milliseconds) >= each) ?? []
  if (unit !== undefined && length !== undefined) return relative.format(Math.trunc(milliseconds / length), unit)
  return milliseconds <= tick ? 'just now' : 'in a moment'
}

let now = gatewayClock.now()

function subscribe(listener: () => void): () => void {
  const move = () => {
    now = gatewayClock.now()
    listener()
  }
  const timer = setInterval(move, tick)
  const unsubscribe = gatewayClock.subscribe(move)
  return () => {
    clearInterval(timer)
    unsubscribe()
  }
}

/** The gateway's time, within some seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () =>
    Math.abs(gatewayClock.now() - now) > tick ? (now = gatewayClock.now()) : now,
  )
}
