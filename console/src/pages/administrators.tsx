/** Administrators: the list and one of them. */
import { Badge, Button, Stack, Text } from '@mantine/core'
import { type Administrator, readAllAdministrators, useAdministrators } from '../api/administrators.ts'
import { useMay, useSession } from '../api/session.ts'
import type { PageProps } from '../page.ts'
import type { Column } from '../parts/column.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { breakLongWords } from '../parts/long-words.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Pages, useListQuery } from '../parts/paging.tsx'
import { showTime } from '../parts/show-value.tsx'
import { Link, useParameter } from '../router.tsx'
import { AddAdministrator } from './administrators/add-administrator.tsx'
import { AdministratorPage } from './administrators/administrator-page.tsx'

export default function Administrators({ id }: PageProps) {
  return id === '' ? <AdministratorList /> : <AdministratorPage key={id} name={id} />
}

function AdministratorList() {
  const query = useAdministrators(useListQuery())
  const { data: session } = useSession()
  const [add, setAdd] = useParameter('add')
  const mayAdd = useMay('administrator')
  return (
    <>
      <PageHead>{mayAdd && <Button onClick={() => setAdd('yes')}>Add administrator</Button>}</PageHead>
      <Stack>
        <Text size="sm" c="dimmed">
          Administrators sign in to this console. Callers call operations.
        </Text>
        <Loaded query={query} empty="No administrators yet.">
          {({ items, ...page }) => (
            <>
              <DataTable
                label="Administrators"
                columns={columnsFor(session?.name)}
                rows={items}
                keyOf={({ name }) => name}
                linkOf={linkOf}
                isPart
                readAll={readAllAdministrators}
              />
              <Pages {...page} />
            </>
          )}
        </Loaded>
      </Stack>
      {add === 'yes' && mayAdd && <AddAdministrator onClose={() => setAdd('')} />}
    </>
  )
}

const linkOf = ({ name }: Pick<Administrator, 'name'>) => `/administrators/${encodeURIComponent(name)}`

function columnsFor(own: string | undefined): readonly Column<Administrator>[] {
  return [
    {
      title: 'Name',
      sort: 'name',
      value: ({ name }) => name,
      show: ({ name }) => (
        <>
          <Link to={linkOf({ name })}>{breakLongWords(name)}</Link>
          {name === own && ' (you)'}
        </>
      ),
    },
    { title: 'Role', sort: 'role', value: ({ role }) => role },
    {
      title: 'Signs in with',
      isOnlyWide: true,
      sort: 'signsInWith',
      value: ({ signsInWith }) => (signsInWith === 'provider' ? 'identity provider' : 'password'),
    },
    {
      title: 'Created',
      isOnlyWide: true,
      sort: 'created',
      value: ({ created }) => created,
      show: ({ created }) => showTime(created),
    },
    {
      title: 'State',
      sort: 'isLocked',
      value: ({ isLocked }) => (isLocked ? 'Locked' : 'Active'),
      show: ({ isLocked }) => (isLocked ? <Badge color="failed">Locked</Badge> : 'Active'),
    },
  ]
}
