/** Entries of the REST cache; deletes them by URL or operation. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useMay } from '../../api/session.ts'
import type { Column } from '../../parts/column.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pages, useListQuery } from '../../parts/paging.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { TextFilter } from '../../parts/text-filter.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useParameter } from '../../router.tsx'
import { readAllCacheEntries, useCacheEntries, useDeleteCache } from './api.ts'

type Entry = Schemas['CacheEntry']

export default function RestCache() {
  const [operation] = useParameter('operation')
  const { offset, limit } = useListQuery()
  const filter = operation === '' ? {} : { operation }
  const entries = useCacheEntries({ ...filter, offset, limit })
  const [clear, setClear] = useParameter('clear')
  const [chosen, setAsked] = useState<{ readonly operation: string; readonly url?: string }>()
  const { mutate, isPending, error, reset } = useDeleteCache()
  const mayDelete = useMay('operator')
  const asked = chosen ?? (clear === 'yes' && operation !== '' && mayDelete ? { operation } : undefined)
  const toast = useToast()
  const close = () => {
    reset()
    setAsked(undefined)
    if (clear !== '') setClear('')
  }
  const remove = () =>
    asked &&
    mutate(asked, {
      onSuccess(deleted) {
        toast(
          deleted === undefined
            ? `Cache entries of ${asked.operation} deleted.`
            : `${deleted} ${deleted === 1 ? 'entry' : 'entries'} deleted.`,
        )
        close()
      },
    })
  const columns: readonly Column<Entry>[] = [
    ...fixed,
    ...(mayDelete
      ? [
          {
            title: 'Delete',
            isAction: true,
            show: ({ operationId, url }: Entry) =>
              url !== null && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Delete ${url}`}
                  onClick={() => setAsked({ operation: operationId, url })}
                >
                  Delete
                </Button>
              ),
          },
        ]
      : []),
  ]
  return (
    <>
      <PageHead>
        {mayDelete && operation !== '' && (
          <Button variant="default" onClick={() => setAsked({ operation })}>
            Delete all entries of {operation}
          </Button>
        )}
      </PageHead>
      <Stack>
        <Group>
          <TextFilter name="operation" label="Operation, such as ECHO_GET.v1" />
        </Group>
        <Loaded query={entries} empty="The cache is empty.">
          {({ items, ...page }) => (
            <>
              <DataTable
                label="Cache"
                isStacked
                isPart
                columns={columns}
                rows={items}
                readAll={() => readAllCacheEntries(filter)}
                keyOf={({ operationId, url, operator }) => `${operationId} ${url} ${operator}`}
              />
              <Pages {...page} />
            </>
          )}
        </Loaded>
      </Stack>
      <Dialog
        title={asked?.url === undefined ? 'Delete all entries of this operation?' : 'Delete the entries of this URL?'}
        isOpen={asked !== undefined}
        action="Delete"
        isDangerous
        isPending={isPending}
        error={error}
        onClose={close}
        onConfirm={remove}
      >
        <Text size="sm" className="mono">
          {asked?.url ?? asked?.operation}
        </Text>
        <Text size="sm">All instances delete them within a second. The next call runs the handler.</Text>
      </Dialog>
    </>
  )
}

const fixed: readonly Column<Entry>[] = [
  { title: 'URL', value: ({ url }) => url, show: ({ url }) => <span className="mono">{url ?? 'not kept'}</span> },
  { title: 'Operation', isOnlyWide: true, value: ({ operationId }) => operationId },
  { title: 'Caller', isOnlyWide: true, value: ({ operator }) => operator ?? 'all' },
  { title: 'Expires', value: ({ expires }) => expires, show: ({ expires }) => showTime(expires) },
  {
    title: 'Bytes',
    isOnlyWide: true,
    isNumber: true,
    value: ({ size }) => size,
    show: ({ size }) => size.toLocaleString('en'),
  },
]
