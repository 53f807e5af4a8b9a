/** Spans of time that end now, by their name in the URL. */
import { gatewayClock } from '../../api/clock.ts'

const hour = 3_600_000
const spans: Readonly<Record<string, number>> = { '1h': hour, '24h': 24 * hour }

/** When a span began. */
export function sinceOf(last: string): string | undefined {
  const length = spans[last]
  return length === undefined ? undefined : new Date(gatewayClock.now() - length).toISOString()
}
