/** The active alerts of an operation that are not silenced, above its figures (specification 43.7). */
import { Alert, List, Text } from '@mantine/core'
import { Link } from '../../router.tsx'
import { AlertSubject } from './alert-subject.tsx'
import { useAlerts } from './api.ts'

const max = 5

export function Alerts({ operation }: { readonly operation: string }) {
  const { data } = useAlerts(false)
  const alerts = (data?.items ?? []).filter((alert) => alert.silencedUntil === null && alert.operation === operation)
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
          <List.Item key={alert.id}>
            <AlertSubject alert={alert} />
            {`: ${alert.detail}`}
          </List.Item>
        ))}
      </List>
      <Text size="xs" mt={4}>
        {alerts.length > max && `and ${alerts.length - max} more. `}
        <Link to="/alerts" size="xs" underline="always">
          What to do
        </Link>
      </Text>
    </Alert>
  )
}
