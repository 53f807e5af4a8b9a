/** The differences between two configurations, as `ig diff` reports them: each item and field, before and after. */
import { Alert, Group, Paper, Stack, Table, Text } from '@mantine/core'
import type { Change } from '../api/drafts.ts'
import { lists, pathOfForm } from '../lists.ts'
import { isFallback, labelOf } from '../name-field.ts'
import { Link } from '../router.tsx'
import { useShown } from './show-more.tsx'
import { showValue } from './show-value.tsx'
import { StateBadge } from './state-badge.tsx'

interface Props {
  readonly changes: readonly Change[]
  /** Whether the changes are active, so that their operations can be tried. */
  readonly mayTry?: boolean
  /** Called before a link to an item is followed. */
  onFollow?(): void
}

export function ChangeList({ changes, mayTry = false, onFollow }: Props) {
  const { shown, more } = useShown(changes, 'changes')
  if (changes.length === 0) return <Text>No differences.</Text>
  return (
    <Stack gap="sm">
      {shown.map(({ kind, list, id, fields, breaks }) => (
        <Paper key={`${list} ${id}`} withBorder p="sm">
          <Group gap="xs">
            <StateBadge state={kind} />
            <Text size="sm">{list === 'gateway' ? 'field' : lists[list].one}</Text>
            {kind === 'removed' || list === 'gateway' ? (
              <Text span size="sm" className="mono">
                {id}
              </Text>
            ) : (
              <Link to={pathOfForm(list, id)} size="sm" className="mono" {...(onFollow && { onFollow })}>
                {id}
              </Link>
            )}
            {mayTry && list === 'operations' && kind !== 'removed' && (
              <Link to={`/try?operation=${encodeURIComponent(id)}`} size="sm" underline="always">
                Try it
              </Link>
            )}
          </Group>
          {breaks !== undefined && (
            <Alert
              color="red"
              mt="xs"
              title="Breaks existing clients"
              styles={{ title: { color: 'var(--mantine-color-text)' } }}
            >
              {breaks}
            </Alert>
          )}
          <ChangedFields kind={kind} list={list} fields={fields} />
        </Paper>
      ))}
      {more}
    </Stack>
  )
}

type FieldsProps = Pick<Change, 'kind' | 'list' | 'fields'>

/** Of an added item only what is stated; its defaults unfold. */
function ChangedFields({ kind, list, fields }: FieldsProps) {
  const isDefault = ({ field, after }: Change['fields'][number]) => kind === 'added' && isFallback(list, field, after)
  const [stated, defaults] = [fields.filter((each) => !isDefault(each)), fields.filter(isDefault)]
  return (
    <>
      {stated.length > 0 && <FieldTable kind={kind} list={list} fields={stated} />}
      {defaults.length > 0 && (
        <details>
          <summary>{defaults.length === 1 ? '1 default' : `${defaults.length} defaults`}</summary>
          <FieldTable kind={kind} list={list} fields={defaults} />
        </details>
      )}
    </>
  )
}

function FieldTable({ kind, list, fields }: FieldsProps) {
  return (
    <div className="wide">
      <Table mt="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Field</Table.Th>
            {kind === 'changed' && <Table.Th scope="col">Before</Table.Th>}
            <Table.Th scope="col">{kind === 'changed' ? 'After' : 'Value'}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map(({ field, before, after }) => (
            <Table.Tr key={field}>
              <Table.Th scope="row">{labelOf(list === 'gateway' ? undefined : list, field)}</Table.Th>
              {kind === 'changed' && <Table.Td>{showValue(before)}</Table.Td>}
              <Table.Td>{showValue(after)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
