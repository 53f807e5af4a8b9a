/** Every setting with its value, secrets masked; they are changed in the properties file or the environment (specification 18.29). */
import { Badge, Group, Stack, Switch, Text, Title } from '@mantine/core'
import { type Setting, useSettings } from '../api/running.ts'
import { type Column, DataTable, Search } from '../parts/data-table.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
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
      <PageHead title="Settings" />
      <Stack>
        <Text size="sm" c="dimmed">
          As this process has read them when it started. They are changed in integrationGateway.properties or by
          environment variables, and take effect with the next start.
        </Text>
        <Group gap="sm">
          <Search label="Search settings" />
          <Switch
            label="Only what is set"
            checked={stated === 'yes'}
            onChange={(event) => setStated(event.currentTarget.checked ? 'yes' : '')}
          />
        </Group>
        <Loaded
          query={shown}
          empty={
            stated === 'yes' && search === '' ? 'Nothing is set: all have their defaults.' : 'No setting is called so.'
          }
        >
          {({ items }) =>
            [...Map.groupBy(items, ({ group }) => group)].map(([group, rows]) => (
              <div key={group}>
                <Title order={2} size="h4">
                  {group}
                </Title>
                <DataTable label={group} isStacked columns={columns} rows={rows} keyOf={({ key }) => key} />
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
    title: 'From',
    isOnlyWide: true,
    show: ({ source }) => (source === 'default' ? 'default' : <Badge color="blue">{source}</Badge>),
  },
]
