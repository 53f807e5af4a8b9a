/** The objective of an operation, and how much of the errors that it allows in a day is left (specification 43.13). */
import { Text } from '@mantine/core'
import { useHistory } from './api.ts'
import { showMilliseconds } from './charts.tsx'

export function Slo({ operation }: { readonly operation: string }) {
  const { data } = useHistory({ minutes: 1440, operation, sort: 'calls' })
  if (!data?.objective) return null
  const { allowed, latency, left } = data.objective
  const spent =
    left > 0 ? `${show(left)} of the errors it allows are left` : `${show(1 - left)} of the errors it allows`
  return (
    <Text size="sm" c="dimmed">
      Objective: {show(1 - allowed)} of calls do not fail
      {latency !== null && `, and take at most ${showMilliseconds(latency)}`}. Last day:{' '}
      <Text span size="sm" fw={600} c={left > 0 ? 'var(--mantine-color-text)' : 'var(--failed)'}>
        {spent}
      </Text>
    </Text>
  )
}

const show = (share: number) => `${(share * 100).toLocaleString('en', { maximumFractionDigits: 3 })} %`
