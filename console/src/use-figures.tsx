/** The figures of a page of a list: those of features, and what uses the items. */
import { useQuery } from '@tanstack/react-query'
import { api, read, type Schemas } from './api/client.ts'
import { useOperations } from './api/configuration.ts'
import { useSettings } from './api/running.ts'
import { figuresOfLists } from './features.ts'
import type { ListName } from './field.ts'
import type { Column } from './parts/column.ts'
import { figuresColumns, type ReadColumns, showCount, type WithId } from './parts/figures-columns.tsx'
import { Link } from './router.tsx'

type UseCount = Schemas['UseCount']

/** @param isActive whether they are of the active configuration; a draft has no figures */
export function useFigures(
  list: ListName | 'operators',
  rows: readonly WithId[],
  isActive = true,
): readonly Column<WithId>[] {
  const ids = isActive ? rows.map(({ id }) => id) : []
  const columns = (readers[list] ?? []).flatMap((readColumns) => readColumns(ids)) // the same hooks each time
  return isActive ? columns : []
}

const idOf = ({ id }: UseCount) => id

function readerOf(list: 'services' | 'documents' | 'messages' | 'permissionLists'): ReadColumns {
  return (ids) => {
    const counts = useQuery({
      queryKey: ['items', 'use-counts', list, ids],
      enabled: ids.length > 0,
      queryFn: () => read(api.GET('/api/use-counts', { params: { query: { list, id: [...ids] } } })),
    })
    if (list !== 'permissionLists')
      return figuresColumns(counts, idOf, [{ title: 'Used by', show: ({ uses }) => showCount(uses) }])
    return figuresColumns(counts, idOf, [
      { title: 'Operations', show: ({ operations }) => showCount(operations) },
      {
        title: 'Holders',
        show: ({ holders, id }) => (
          <Link to={`/callers?permissionList=${encodeURIComponent(id)}`} aria-label={`${holders} holders of ${id}`}>
            {showCount(holders)}
          </Link>
        ),
      },
    ])
  }
}

/** Only the provider that the settings name has its tokens accepted. */
const readProviders: ReadColumns = () => {
  const settings = useSettings()
  const operations = useOperations({ verification: 'OAuth2', limit: 1 })
  const active = settings.data?.items.find(({ key }) => key === 'ig.AuthorizationServer')?.value
  const items = operations.data && active ? [{ id: active, operations: operations.data.total }] : []
  const answer = { data: settings.data && operations.data && { items }, error: settings.error ?? operations.error }
  return figuresColumns(answer, ({ id }) => id, [
    { title: 'Operations', show: ({ operations }) => showCount(operations) },
  ])
}

const readers: typeof figuresOfLists = {
  ...figuresOfLists,
  services: [readerOf('services')],
  documents: [readerOf('documents')],
  messages: [readerOf('messages')],
  permissionLists: [readerOf('permissionLists')],
  oauth2ServiceApps: [readProviders],
}
