/** Operators: the list and one of them. */
import { Badge, Button, Group, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import { usePermissionLists } from '../api/configuration.ts'
import { type Operator, type OperatorQuery, readAllOperators, useOperators } from '../api/operators.ts'
import { useMay } from '../api/session.ts'
import type { PageProps } from '../page.ts'
import type { Column } from '../parts/column.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Empty } from '../parts/empty.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { breakLongWords } from '../parts/long-words.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Pages, Search, useSearchQuery } from '../parts/paging.tsx'
import { Link, useParameter } from '../router.tsx'
import { useFigures } from '../use-figures.tsx'
import { AddOperator } from './operators/add-operator.tsx'
import { ExportOperators } from './operators/export-operators.tsx'
import { ImportOperators } from './operators/import-operators.tsx'
import { OperatorPage } from './operators/operator-page.tsx'
import { SetHolders } from './operators/set-holders.tsx'

export default function Operators({ id }: PageProps) {
  return id === '' ? <OperatorList /> : <OperatorPage key={id} id={id} />
}

function OperatorList() {
  const [isLocked, setIsLocked] = useParameter('isLocked')
  const [permissionList, setPermissionList] = useParameter('permissionList')
  const { data: lists } = usePermissionLists()
  const query: OperatorQuery = {
    ...useSearchQuery(),
    ...((isLocked === 'true' || isLocked === 'false') && { isLocked }),
    ...(permissionList !== '' && { permissionList }),
  }
  const operators = useOperators(query)
  const isFiltered = isLocked !== '' || permissionList !== '' || query.search !== undefined || (query.offset ?? 0) > 0
  const [dialog, setDialog] = useState<'import' | 'holders'>()
  const [add, setAdd] = useParameter('add')
  const close = () => setDialog(undefined)
  const mayAdd = useMay('administrator')
  const mayGrant = useMay('operator')
  return (
    <>
      <PageHead>
        <ExportOperators />
        {mayAdd && (
          <Button variant="default" onClick={() => setDialog('import')}>
            Import
          </Button>
        )}
        {mayAdd && <Button onClick={() => setAdd('yes')}>Add caller</Button>}
      </PageHead>
      <Stack>
        <Group gap="sm">
          <Search label="Search callers" />
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
          <Select
            aria-label="Permission list"
            placeholder="Permission list"
            data={lists?.items.map(({ id }) => id) ?? []}
            value={permissionList || null}
            onChange={(value) => setPermissionList(value ?? '')}
            clearable
            clearButtonProps={{ 'aria-label': 'Clear permission list' }}
            searchable
            w={220}
          />
          {mayGrant && permissionList !== '' && (
            <Button variant="default" onClick={() => setDialog('holders')}>
              Set holders
            </Button>
          )}
        </Group>
        <Loaded
          query={operators}
          empty={
            isFiltered ? (
              'No callers match.'
            ) : (
              <Empty
                message="No callers yet. A caller has credentials and permission lists, and calls operations."
                action={mayAdd ? 'Add the first caller' : undefined}
                to="/callers?add=yes"
              />
            )
          }
        >
          {({ items, ...page }) => (
            <>
              <Rows rows={items} readAll={() => readAllOperators(query)} />
              <Pages {...page} />
            </>
          )}
        </Loaded>
      </Stack>
      {add === 'yes' && mayAdd && <AddOperator onClose={() => setAdd('')} />}
      {dialog === 'import' && <ImportOperators onClose={close} />}
      {dialog === 'holders' && <SetHolders permissionList={permissionList} onClose={close} />}
    </>
  )
}

interface RowsProps {
  readonly rows: readonly Operator[]
  readAll(): Promise<readonly Operator[]>
}

function Rows({ rows, readAll }: RowsProps) {
  return (
    <DataTable
      label="Callers"
      columns={[...columns, ...useFigures('operators', rows)]}
      rows={rows}
      isPart
      readAll={readAll}
      keyOf={({ id }) => id}
      linkOf={linkOf}
    />
  )
}

const linkOf = ({ id }: Operator) => `/callers/${encodeURIComponent(id)}`

const columns: readonly Column<Operator>[] = [
  {
    title: 'Caller',
    sort: 'id',
    value: ({ id }) => id,
    show: (operator) => (
      <Link to={linkOf(operator)} className="mono">
        {breakLongWords(operator.id)}
      </Link>
    ),
  },
  { title: 'Description', isOnlyWide: true, sort: 'description', value: ({ description }) => description },
  {
    title: 'Credentials',
    isOnlyWide: true,
    value: ({ hasPassword, emails }) => waysOf(hasPassword, emails.length > 0),
  },
  {
    title: 'Permission lists',
    isOnlyWide: true,
    sort: 'permissionLists',
    value: ({ permissionLists }) => permissionLists.join(', '),
  },
  {
    title: 'State',
    sort: 'isLocked',
    value: ({ isLocked }) => (isLocked ? 'Locked' : 'Active'),
    show: ({ isLocked }) => (isLocked ? <Badge color="failed">Locked</Badge> : 'Active'),
  },
]

function waysOf(hasPassword: boolean, hasAddress: boolean): string {
  return [...(hasPassword ? ['password'] : []), ...(hasAddress ? ['OAuth2 token'] : [])].join(', ') || 'none'
}
