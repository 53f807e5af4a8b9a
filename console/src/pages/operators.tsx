/** Operators: the list and one of them. */
import { Badge, Button, Group, Select, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type Operator, type OperatorQuery, useOperators } from '../api/operators.ts'
import { useMay } from '../api/session.ts'
import type { PageProps } from '../page.ts'
import { type Column, DataTable, Pages, Search, useListQuery } from '../parts/data-table.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { breakLongWords } from '../parts/long-words.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Link, useParameter } from '../router.tsx'
import { AddOperator } from './operators/add-operator.tsx'
import { OperatorPage } from './operators/operator-page.tsx'

export default function Operators({ id }: PageProps) {
  return id === '' ? <OperatorList /> : <OperatorPage key={id} id={id} />
}

function OperatorList() {
  const [isLocked, setIsLocked] = useParameter('isLocked')
  const [permissionList] = useParameter('permissionList')
  const query: OperatorQuery = {
    ...useListQuery(),
    ...((isLocked === 'true' || isLocked === 'false') && { isLocked }),
    ...(permissionList !== '' && { permissionList }),
  }
  const operators = useOperators(query)
  const [isAdding, { open, close }] = useDisclosure(false)
  const mayAdd = useMay('administrator')
  return (
    <>
      <PageHead>{mayAdd && <Button onClick={open}>Add operator</Button>}</PageHead>
      <Stack>
        <Group gap="sm">
          <Search label="Search by ID, description or address" />
          <Select
            aria-label="State"
            placeholder="State"
            data={[
              { value: 'true', label: 'Locked' },
              { value: 'false', label: 'Active' },
            ]}
            value={isLocked || null}
            onChange={(value) => setIsLocked(value ?? '')}
            clearable
            clearButtonProps={{ 'aria-label': 'Clear state' }}
            w={160}
          />
        </Group>
        <Loaded query={operators} empty="No operators match.">
          {({ items, ...page }) => (
            <>
              <DataTable label="Operators" columns={columns} rows={items} keyOf={({ id }) => id} />
              <Pages {...page} />
            </>
          )}
        </Loaded>
      </Stack>
      {isAdding && <AddOperator onClose={close} />}
    </>
  )
}

const columns: readonly Column<Operator>[] = [
  {
    title: 'Operator',
    show: ({ id }) => (
      <Link to={`/operators/${encodeURIComponent(id)}`} className="mono">
        {breakLongWords(id)}
      </Link>
    ),
  },
  { title: 'Description', isOnlyWide: true, show: ({ description }) => description },
  { title: 'Credentials', isOnlyWide: true, show: ({ hasPassword, emails }) => waysOf(hasPassword, emails.length > 0) },
  { title: 'Permission lists', show: ({ permissionLists }) => permissionLists.join(', ') },
  {
    title: 'State',
    show: ({ isLocked }) =>
      isLocked ? (
        <Badge color="red" variant="filled">
          Locked
        </Badge>
      ) : (
        'Active'
      ),
  },
]

function waysOf(hasPassword: boolean, hasAddress: boolean): string {
  return [...(hasPassword ? ['password'] : []), ...(hasAddress ? ['OAuth2 token'] : [])].join(', ') || 'none'
}
