/** The audit log: who changed what, from where, with the values before and after. */
import { Alert, Button, Group, Select, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { readAllAudit, useAudit, useAuditEntry, useAuditVerification } from '../api/audit.ts'
import type { Column } from '../parts/column.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { breakLongWords } from '../parts/long-words.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { showTime, showValue } from '../parts/show-value.tsx'
import { TextFilter } from '../parts/text-filter.tsx'
import { useParameter } from '../router.tsx'
import { actionWords, describeSubject, type Entry } from './audit/words.ts'

export default function Audit() {
  const [actor] = useParameter('actor')
  const [action, setAction] = useParameter('action')
  const [subject] = useParameter('subject')
  const asked = {
    ...(actor !== '' && { actor }),
    ...(action !== '' && { action }),
    ...(subject !== '' && { subject }),
  }
  const audit = useAudit(asked)
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = audit
  const { data, error, refetch } = audit
  const query = { error, refetch, data: data && { items: data.pages.flatMap(({ items }) => items) } }
  return (
    <>
      <PageHead />
      <Stack>
        <Group gap="sm">
          <TextFilter name="actor" label="Administrator" />
          <Select
            aria-label="Action"
            placeholder="Action"
            data={actionsWith(action)}
            value={action === '' ? null : action}
            onChange={(next) => setAction(next ?? '')}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': 'Clear action' }}
            nothingFoundMessage="No matches"
            style={{ flex: '1 1 160px' }}
            maw={{ base: '100%', sm: 360 }}
          />
          <TextFilter name="subject" label="Subject" />
        </Group>
        <Chain />
        <Loaded query={query} empty="No entries match.">
          {({ items }) => (
            <>
              <DataTable
                label="Audit"
                isStacked
                isPart
                columns={columns}
                rows={items}
                readAll={() => readAllAudit(asked)}
                keyOf={({ sequence }) => String(sequence)}
              />
              {hasNextPage && (
                <Button variant="default" onClick={() => void fetchNextPage()} loading={isFetchingNextPage}>
                  Earlier entries
                </Button>
              )}
            </>
          )}
        </Loaded>
      </Stack>
    </>
  )
}

/** Whether the chain of entries is intact, and its head for later comparison. */
function Chain() {
  const { data } = useAuditVerification()
  if (!data || (data.isVerified && data.head === null)) return null
  if (data.difference)
    return (
      <Alert color="red" title={`Entry ${data.difference.sequence} does not match the hash chain`}>
        The audit log was changed outside the gateway: {data.difference.reason}.
      </Alert>
    )
  return (
    <Text size="sm" c="dimmed">
      Chain verified. Head: {breakLongWords(data.head ?? '')}
    </Text>
  )
}

/** All actions by their labels, and the one in the URL even if unknown. */
function actionsWith(chosen: string) {
  const known = Object.entries(actionWords).map(([value, label]) => ({ value, label }))
  const others = chosen === '' || chosen in actionWords ? [] : [{ value: chosen, label: chosen }]
  return [...others, ...known.toSorted((one, other) => (one.label < other.label ? -1 : 1))]
}

const columns: readonly Column<Entry>[] = [
  { title: 'Time', value: ({ time }) => time, show: ({ time }) => showTime(time) },
  { title: 'Administrator', value: ({ actor }) => actor },
  { title: 'From', isOnlyWide: true, value: ({ via, address }) => `${via}, ${address}` },
  { title: 'Action', value: ({ action }) => actionWords[action] ?? action },
  { title: 'Subject', value: ({ subject }) => subject, show: (entry) => <Subject entry={entry} /> },
  {
    title: 'Details',
    value: ({ before, after }) => JSON.stringify({ before, after }),
    show: (entry) => <Details entry={entry} />,
  },
]

interface OfEntry {
  readonly entry: Entry
}

function Subject({ entry }: OfEntry) {
  const { name, draft } = describeSubject(entry)
  return (
    <>
      <Text span size="sm">
        {breakLongWords(name)}
      </Text>
      {draft !== undefined && (
        <Text size="xs" c="dimmed">
          in the draft {breakLongWords(draft)}
        </Text>
      )}
    </>
  )
}

function Details({ entry }: OfEntry) {
  const [isOpen, setIsOpen] = useState(false)
  const whole = useAuditEntry(entry, isOpen)
  const hasValues = entry.isCut || entry.before !== undefined || entry.after !== undefined
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{hasValues ? 'Before and after' : 'Details'}</summary>
      {isOpen && <Loaded query={whole}>{(entry) => <Values entry={entry} hasValues={hasValues} />}</Loaded>}
    </details>
  )
}

/** Includes the API's names of action and subject, which the filters accept. */
function Values({ entry: { action, subject, before, after }, hasValues }: OfEntry & { readonly hasValues: boolean }) {
  const rows: readonly (readonly [string, unknown])[] = [
    ...(hasValues
      ? ([
          ['Before', before],
          ['After', after],
        ] as const)
      : []),
    ['Action', action],
    ['Subject', subject],
  ]
  return (
    <Table withRowBorders={false} verticalSpacing={2}>
      <Table.Tbody>
        {rows.map(([title, value]) => (
          <Table.Tr key={title}>
            <Table.Th scope="row">{title}</Table.Th>
            <Table.Td>{showValue(value)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
