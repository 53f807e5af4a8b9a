/** All settings with their values, secrets masked; read-only (specification 18.29). */
import { Badge, Group, Stack, Switch, Text, Title } from '@mantine/core'
import { type Setting, useSettings } from '../api/running.ts'
import type { Column } from '../parts/column.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Search } from '../parts/paging.tsx'
import { useParameter } from '../router.tsx'

export default function Settings() {
  const [search] = useParameter('search')
  const [stated, setStated] = useParameter('stated')
  const query = useSettings()
  const wanted = search.toLowerCase()
  const isShown = ({ key, variable, help, source }: Setting) =>
    [key, variable, help].some((text) => text.toLowerCase().includes(wanted)) &&
    (stated !== 'yes' || source !== 'default')
  const shown = { ...query, data: query.data && { items: query.data.items.filter(isShown) } }
  return (
    <>
      <PageHead />
      <Stack>
        <Text size="sm" c="dimmed">
          The values that this process read at startup. To change one, edit integrationGateway.properties or set its
          environment variable, and restart.
        </Text>
        <Group gap="sm">
          <Search label="Search settings" />
          <Switch
            label="Only changed settings"
            checked={stated === 'yes'}
            onChange={(event) => setStated(event.currentTarget.checked ? 'yes' : '')}
          />
        </Group>
        <Loaded
          query={shown}
          empty={stated === 'yes' && search === '' ? 'All settings have their defaults.' : 'No settings match.'}
        >
          {({ items }) =>
            [...Map.groupBy(items, ({ group }) => group)].map(([group, rows]) => (
              <div key={group}>
                <Title order={2} size="h4">
                  {group}
                </Title>
                <DataTable label={group} isStacked isPlain columns={columns} rows={rows} keyOf={({ key }) => key} />
              </div>
            ))
          }
        </Loaded>
      </Stack>
    </>
  )
}

const columns: readonly Column<Setting>[] = [
  {
    title: 'Setting',
    value: ({ key }) => key,
    show: ({ key, variable, help, values }) => (
      <>
        <span className="mono">{key}</span>
        <Text size="sm">{help}</Text>
        <Text size="xs" c="dimmed">
          {values}; <span className="mono">{variable}</span>
        </Text>
      </>
    ),
  },
  {
    title: 'Value',
    value: ({ value }) => value,
    show: ({ value }) =>
      value === null ? (
        <Text size="sm" c="dimmed">
          none
        </Text>
      ) : (
        <span className="mono">{value}</span>
      ),
  },
  {
    title: 'Source',
    isOnlyWide: true,
    value: ({ source }) => source,
    show: ({ source }) => (source === 'default' ? 'default' : <Badge color="cached">{source}</Badge>),
  },
]
