/** What a mark of a chart says when it is opened: what, who, when, and how many changes; leads to them and back. */
import { Button, Group, Text } from '@mantine/core'
import { useMay } from '../../../api/session.ts'
import { Moment } from '../../../parts/moment.tsx'
import { Link } from '../../../router.tsx'
import { useChanges } from '../api.ts'
import type { Mark } from '../chart/marks.ts'

interface Props {
  readonly mark: Mark
  /** Closes the card. */
  onFollow(): void
  /** Opens the dialog. */
  onRollBack(to: number): void
}

/** Milliseconds in which the audit has the entry of an activation: it waits until all serve it. */
const patience = 150_000

export function MarkCard({ mark, onFollow, onRollBack }: Props) {
  const { title, from, to, revision, previous } = mark
  const mayRollBack = useMay('administrator') && mark.isActive === true
  return (
    <>
      <Text size="sm">
        <b>{title}</b>, <Moment time={new Date(from).toISOString()} isShort isAbsolute />
        {to !== undefined && (
          <>
            {' '}
            to <Moment time={new Date(to).toISOString()} isShort isAbsolute />
          </>
        )}
      </Text>
      {revision !== undefined && <Activation mark={mark} />}
      {revision !== undefined && (
        <Group gap="sm" my={4}>
          <Link to={`/revisions/${revision}`} underline="always" onFollow={onFollow}>
            Difference
          </Link>
          {mayRollBack && previous !== undefined && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                onFollow()
                onRollBack(previous)
              }}
            >
              Roll back to {previous}
            </Button>
          )}
        </Group>
      )}
    </>
  )
}

/** `, by anna`, what it changed, and its note. */
function Activation({ mark: { revision, from, note = '' } }: Pick<Props, 'mark'>) {
  const at = (time: number) => new Date(time).toISOString()
  const { data } = useChanges(from, () => ({ from: at(from - 5_000), to: at(from + patience), limit: 50 }))
  const { who, difference } = data?.items.findLast((change) => change.revision === revision) ?? {}
  const said = [who != null && `by ${who}`, difference, note].filter(Boolean)
  return (
    <Text size="sm" c="dimmed">
      {said.join(' · ')}
    </Text>
  )
}
