/** Shows values of the configuration and the audit log, always as text. */
import { Text } from '@mantine/core'
import { Moment } from './moment.tsx'

export function showValue(value: unknown) {
  if (value === undefined || value === null) {
    return (
      <Text component="span" size="sm" c="dimmed">
        none
      </Text>
    )
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, typeof value === 'object' ? 1 : 0)
  return (
    <span className="mono text" style={{ fontSize: '0.85em' }}>
      {text}
    </span>
  )
}

/** `2026-11-21 18:25` */
export function writeMinute(date: Date): string {
  return `${date.toLocaleDateString('sv')} ${date.toLocaleTimeString('sv').slice(0, 5)}`
}

/** In a table: of today only the time, so that rows do not wrap; the rest is in the title. */
export function showTime(time: string) {
  return <Moment time={time} isShort isAbsolute />
}

/** Three significant digits, at most two decimals: 0.42 ms, 7.31 ms, 12.5 ms, 134 ms, 12,300 ms. */
export function showDuration(milliseconds: number): string {
  if (milliseconds < 1) return `${milliseconds.toFixed(2)} ms`
  return `${milliseconds.toLocaleString('en', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 })} ms`
}
