/** The objective of an operation, and how much of the errors that it allows in a day is left (specification 43.13). */
import { Text } from '@mantine/core'
import { useHistory } from './api.ts'
import { showMilliseconds } from './charts.tsx'

export function Slo({ operation }: { readonly operation: string }) {
  const { data } = useHistory({ minutes: 1440, operation, sort: 'calls' })
  if (!data?.objective) return null
  const { objective, total } = data
  const { allowed, latency, left } = objective
  const counted = `${total.failed.toLocaleString('en')} failed, ${total.slow.toLocaleString('en')} slow`
  const isSpent = left <= 0
  return (
    <Text size="sm" c="dimmed" component="section" aria-label="Objective">
      Objective: {show(1 - allowed)} of calls do not fail
      {latency !== null && ` and take at most ${showMilliseconds(latency)}`}. Last day: {counted};{' '}
      <Text span inherit fw={600} c={isSpent ? 'failed' : 'var(--mantine-color-text)'}>
        {isSpent ? `${show(1 - left)} of the errors it allows` : `${show(left)} of the errors it allows are left`}
      </Text>
    </Text>
  )
}

const show = (share: number) => `${(share * 100).toLocaleString('en', { maximumFractionDigits: 3 })} %`
