/** One log entry, whole. */
import { Code, Drawer, Group, Stack, Text } from '@mantine/core'
import type { LogEntry } from '../../api/running.ts'
import { pathOf } from '../../lists.ts'
import { FeatureLink } from '../../parts/feature-link.tsx'
import { LevelBadge } from '../../parts/level-badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Link } from '../../router.tsx'

interface Props {
  /** Undefined if it is not among the latest. */
  readonly entry: LogEntry | undefined
  readonly isOpen: boolean
  onClose(): void
}

export function EntryDrawer({ entry, isOpen, onClose }: Props) {
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      title="Log entry"
      position="right"
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {entry ? (
        <Whole entry={entry} />
      ) : (
        <Text size="sm">The entry is no longer among the latest, or does not match the filters.</Text>
      )}
    </Drawer>
  )
}

function Whole({ entry }: { readonly entry: LogEntry }) {
  const { time, level, text, operation, operator, transactionId, details } = entry
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <LevelBadge level={level} />
        <Text size="sm">
          <Moment time={time} hasMilliseconds />
        </Text>
      </Group>
      <Group gap="md">
        {operation !== null && <Link to={pathOf('operations', operation)}>{operation}</Link>}
        {operator !== null && <Link to={`/callers/${encodeURIComponent(operator)}`}>{operator}</Link>}
        {transactionId !== null && (
          <>
            <FeatureLink to={`/calls/${encodeURIComponent(transactionId)}`}>Show the call</FeatureLink>
            <Link to={`/logs?transaction=${encodeURIComponent(transactionId)}`}>Entries of this call</Link>
          </>
        )}
      </Group>
      <Text size="sm" className="text">
        {text}
      </Text>
      {details.map(({ title, text: detail }) => (
        <section key={title}>
          <Text size="sm" fw={600}>
            {title}
          </Text>
          <Code block className="text">
            {detail}
          </Code>
        </section>
      ))}
    </Stack>
  )
}
