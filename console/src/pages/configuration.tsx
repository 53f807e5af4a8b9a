/** A list of the configuration, active or of the current draft, and one of its items. */

import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy } from 'react'
import { useDrift } from '../api/drafts.ts'
import { fields } from '../api/fields.ts'
import { type Item, readAllItems, useItems } from '../api/items.ts'
import { useMay } from '../api/session.ts'
import { useCurrentDraft } from '../current-draft.tsx'
import { featureColumns, nodeColumns } from '../features.ts'
import { describeLimit, type ListName, lists, pathOf, withArticle } from '../lists.ts'
import type { Column } from '../parts/column.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Empty } from '../parts/empty.tsx'
import { Fields } from '../parts/fields.tsx'
import { ItemFrame } from '../parts/item-frame.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { breakLongWords } from '../parts/long-words.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Pages, Search, useSearchQuery } from '../parts/paging.tsx'
import { ProviderSettings } from '../parts/provider-settings.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import { TextFilter } from '../parts/text-filter.tsx'
import { hrefOf, Link, onLink, useParameter } from '../router.tsx'
import { useFigures } from '../use-figures.tsx'
import { useItemEditing } from '../use-item-editing.ts'
import { RegisterServiceApp } from './configuration/register-service-app.tsx'

/** Never an item's name, because those are encoded in paths. */
export const newId = '+new'

const OperationEditor = lazy(() => import('./configuration/operation-editor.tsx'))

export function ConfigurationPage({ list, id }: { readonly list: ListName; readonly id: string }) {
  if (id === '') return <List list={list} />
  const own = id === newId ? '' : id
  return list === 'operations' ? <OperationEditor key={id} id={own} /> : <ItemEditor key={id} list={list} id={own} />
}

/** The form of an item, from the fields of its list. */
function ItemEditor({ list, id }: { readonly list: ListName; readonly id: string }) {
  const editing = useItemEditing(list, id)
  return (
    <ItemFrame list={list} editing={editing}>
      <Fields editing={editing} fields={fields[list]} />
      {list === 'oauth2ServiceApps' && !editing.isNew && <ProviderSettings value={editing.value} />}
    </ItemFrame>
  )
}

function List({ list }: { readonly list: ListName }) {
  const { many, one, path, help } = lists[list]
  const { draft, title } = useCurrentDraft()
  const [service] = useParameter('service')
  const query = useSearchQuery()
  const asked = { ...query, ...(service !== '' && draft === '' && { service }) }
  const items = useItems(list, draft, asked)
  const drift = useDrift()
  const isManaged = drift.data?.managedBy === 'revisions'
  const mayChange = useMay('administrator') && isManaged
  const [isRegistering, { open, close }] = useDisclosure(false)
  return (
    <>
      <PageHead>
        {mayChange && list === 'oauth2ServiceApps' && <Button onClick={open}>Register by metadata URL</Button>}
        {mayChange && (
          <Button
            variant={list === 'oauth2ServiceApps' ? 'default' : 'filled'}
            component="a"
            href={hrefOf(`/${path}/${newId}`)}
            onClick={onLink(`/${path}/${newId}`)}
          >
            Add {withArticle(one)}
          </Button>
        )}
      </PageHead>
      <Stack>
        {help !== undefined && (
          <Text size="sm" c="dimmed">
            {help}
          </Text>
        )}
        {drift.data?.managedBy === 'files' && (
          <Text size="sm" c="dimmed">
            Managed by files. Change the configuration in gateway.config.ts, or start with --revisions to edit it here:
            npm start -- --revisions, ig dev --revisions.
          </Text>
        )}
        {title !== undefined && (
          <Text size="sm" c="dimmed">
            Showing the draft “{title}”.
          </Text>
        )}
        <Group gap="sm">
          <Search label={`Search ${withSmallInitial(many)}`} />
          {list === 'operations' && draft === '' && <TextFilter name="service" label="Service, exact name" />}
          {list === 'operations' && <Link to={pathOf('services')}>All services</Link>}
        </Group>
        <Loaded
          query={items}
          empty={
            query.search || service !== '' ? (
              'No matches.'
            ) : (
              <Empty
                message={`No ${withSmallInitial(many)} yet.`}
                action={mayChange ? `Add the first ${one}` : undefined}
                to={`/${path}/${newId}`}
              />
            )
          }
        >
          {({ items: rows, ...page }) => (
            <>
              <Rows list={list} draft={draft} rows={rows} readAll={() => readAllItems(list, draft, asked)} />
              <Pages {...page} />
            </>
          )}
        </Loaded>
      </Stack>
      {isRegistering && <RegisterServiceApp onClose={close} />}
    </>
  )
}

interface RowsProps {
  readonly list: ListName
  readonly draft: string
  readonly rows: readonly Item[]
  readAll(): Promise<readonly Item[]>
}

function Rows({ list, draft, rows, readAll }: RowsProps) {
  const figures = useFigures(list, rows, draft === '')
  return (
    <DataTable
      label={lists[list].many}
      columns={columnsOf(list, draft !== '', figures)}
      rows={rows}
      isPart
      readAll={readAll}
      keyOf={({ id }) => id}
      linkOf={({ id }) => pathOf(list, id)}
    />
  )
}

/** Leaves `OAuth2` unchanged. */
function withSmallInitial(text: string): string {
  return text.replace(/^[A-Z](?=[a-z])/, (initial) => initial.toLowerCase())
}

function stateOf({ isActive, deprecated }: Item['value']): string {
  const active = isActive === false ? 'no' : 'yes'
  return deprecated === undefined ? active : `${active}, deprecated`
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')

function ServiceLink({ name }: { readonly name: string }) {
  return name === '' ? null : <Link to={pathOf('services', name)}>{breakLongWords(name)}</Link>
}

/** A column that shows a field, under its label. */
function columnOf(list: ListName, path: string, shown: Partial<Column<Item>> = {}): Column<Item> {
  const { label = path, fallback = '' } = fields[list].find((field) => field.path === path) ?? {}
  const sort = `value.${path}`
  return { title: label, sort, value: ({ value }) => text(value[path]) || String(fallback), ...shown }
}

/** The columns of each list between name and description. */
const ownColumns: Readonly<Partial<Record<ListName, readonly Column<Item>[]>>> = {
  operations: [
    columnOf('operations', 'service', {
      isOnlyWide: true,
      show: ({ value }) => <ServiceLink name={text(value.service)} />,
    }),
    ...['method', 'version', 'alias'].map((path) => columnOf('operations', path, { isExtra: true })),
    columnOf('operations', 'verification', { title: 'Verification', isOnlyWide: true }),
    columnOf('operations', 'handler', { isExtra: true }),
    columnOf('operations', 'isActive', { isOnlyWide: true, value: ({ value }) => stateOf(value) }),
  ],
  nodes: [
    columnOf('nodes', 'isActive', {
      value: ({ value }) => (value.isActive === false ? 'no' : value.isDefaultLocal ? 'yes, default' : 'yes'),
    }),
    ...nodeColumns,
  ],
  messages: [columnOf('messages', 'document')],
  oauth2ServiceApps: [
    columnOf('oauth2ServiceApps', 'issuer', {
      show: ({ value }) => <span className="mono">{text(value.issuer)}</span>,
    }),
  ],
  ...featureColumns,
  limits: [{ title: 'Limit', value: ({ value }) => describeLimit(value) }],
}

function columnsOf(list: ListName, isDraft: boolean, figures: readonly Column<Item>[]): readonly Column<Item>[] {
  return [
    {
      title: 'Name',
      sort: 'id',
      value: ({ id }) => id,
      show: ({ id }) => (
        <Link to={pathOf(list, id)} className="mono">
          {breakLongWords(id)}
        </Link>
      ),
    },
    ...(ownColumns[list] ?? []),
    ...figures,
    columnOf(list, 'description', { isOnlyWide: true }),
    ...(isDraft
      ? [
          {
            title: 'Draft',
            sort: 'state',
            value: ({ state }: Item) => state,
            show: ({ state }: Item) => <StateBadge state={state} />,
          },
        ]
      : []),
  ]
}
