/** What exceeds a threshold now, with a link to it (specification 43.7). */
import { Alert, List, Text } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { pathOfFigures } from '../../lists.ts'
import { Link } from '../../router.tsx'
import { showNumber } from './chart/scale.ts'
import { showBytes } from './show.ts'

type MetricAlert = Schemas['MetricAlert']

const max = 5

export function Alerts({ alerts }: { readonly alerts: readonly MetricAlert[] }) {
  if (alerts.length === 0) return null
  return (
    <Alert
      color="red"
      role="status"
      title={alerts.length === 1 ? '1 alert now' : `${alerts.length} alerts now`}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <List size="sm" listStyleType="none" spacing={2}>
        {alerts.slice(0, max).map((alert) => (
          <List.Item key={`${alert.kind} ${alert.operation ?? alert.instance}`}>
            {alert.operation === null ? (
              <b className="mono">{alert.instance}</b>
            ) : (
              <Link to={pathOfFigures(alert.operation)} underline="always" className="mono">
                {alert.operation}
              </Link>
            )}
            {': '}
            {words[alert.kind](alert)}
          </List.Item>
        ))}
      </List>
      {alerts.length > max && <Text size="sm">and {alerts.length - max} more</Text>}
      <Text size="xs" mt={4}>
        Thresholds are{' '}
        <Link to="/settings?search=ig.alerts" size="xs" underline="always">
          settings
        </Link>
        : ig.alerts.
      </Text>
    </Alert>
  )
}

const milliseconds = (value: number) => `${showNumber(value)} ms`

const words: Readonly<Record<MetricAlert['kind'], (alert: MetricAlert) => string>> = {
  failures: ({ value, threshold }) =>
    `${showNumber(value)} % of its calls failed in the last 5 minutes (threshold ${threshold} %)`,
  latency: ({ value, threshold }) =>
    `one in twenty calls took longer than ${milliseconds(value)} in the last 5 minutes (threshold ${milliseconds(threshold)})`,
  delay: ({ value, threshold }) =>
    `its event loop was delayed by ${milliseconds(value)} for 3 minutes (threshold ${milliseconds(threshold)})`,
  memory: ({ value, threshold }) =>
    `its processes used ${showBytes(value)} for 3 minutes (threshold ${showBytes(threshold)})`,
}
