/** What changed in the last day: at most five, the newest first. */
import { Group, Paper, Text, Title } from '@mantine/core'
import type { Schemas } from '../../../api/client.ts'
import { gatewayClock } from '../../../api/clock.ts'
import { Moment } from '../../../parts/moment.tsx'
import { Link } from '../../../router.tsx'
import { useChanges } from '../api.ts'

const max = 5
const day = 86_400_000

/** Requests one change more than is shown, to know whether there are more. */
export function useLastChanges() {
  return useChanges('last day', () => ({ from: new Date(gatewayClock.now() - day).toISOString(), limit: max + 1 }))
}

export function LastChanges() {
  const { items = [] } = useLastChanges().data ?? {}
  return (
    <Paper withBorder px="md" py="sm" component="section" aria-label="Changed in the last day">
      <Group justify="space-between" gap="xs">
        <Title order={2}>Changed in the last day</Title>
        <Link to="/changes">All changes</Link>
      </Group>
      {items.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing
        </Text>
      )}
      <ul className="last-changes">
        {items.slice(0, max).map((change) => (
          <li key={`${change.sequence} ${change.time}`}>
            <Moment time={change.time} isShort isAbsolute />
            <span className="change-words">
              <ChangeTitle change={change} />
              <Text span inherit c="dimmed">
                {[change.who, change.difference, change.note].map((each) => each && ` · ${each}`)}
              </Text>
            </span>
          </li>
        ))}
      </ul>
      {items.length > max && (
        <Text size="sm" c="dimmed">
          and earlier ones
        </Text>
      )}
    </Paper>
  )
}

function ChangeTitle({ change: { title, revision, operator } }: { readonly change: Schemas['TimelineChange'] }) {
  const to =
    revision !== null ? `/revisions/${revision}` : operator !== null && `/callers/${encodeURIComponent(operator)}`
  return to === false ? (
    title
  ) : (
    <Link to={to} underline="always">
      {title}
    </Link>
  )
}
