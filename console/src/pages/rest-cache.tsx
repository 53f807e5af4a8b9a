/** What calls could be answered from, and deleting it by URL or by operation. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Schemas } from '../api/client.ts'
import { useCacheEntries, useDeleteCache } from '../api/running.ts'
import { useMay } from '../api/session.ts'
import { Dialog } from '../parts/confirm.tsx'
import { type Column, DataTable, Pages, useListQuery } from '../parts/data-table.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { OtherSearch } from '../parts/other-search.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { useSay } from '../parts/say.tsx'
import { showTime } from '../parts/show-value.tsx'
import { useParameter } from '../router.tsx'

type Entry = Schemas['CacheEntry']

export default function RestCache() {
  const [operation] = useParameter('operation')
  const { offset, limit } = useListQuery()
  const entries = useCacheEntries({ offset, limit, ...(operation !== '' && { operation }) })
  const [asked, setAsked] = useState<{ readonly operation: string; readonly url?: string }>()
  const { mutate, isPending, error, reset } = useDeleteCache()
  const mayDelete = useMay('operator')
  const say = useSay()
  const close = () => {
    reset()
    setAsked(undefined)
  }
  const remove = () =>
    asked &&
    mutate(asked, {
      onSuccess(deleted) {
        say(deleted === undefined ? `The entries of ${asked.operation} are deleted.` : `${deleted} deleted.`)
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
      <PageHead title="REST cache">
        {mayDelete && operation !== '' && (
          <Button variant="default" onClick={() => setAsked({ operation })}>
            Delete all of {operation}
          </Button>
        )}
      </PageHead>
      <Stack>
        <Group>
          <OtherSearch name="operation" label="Of one operation: ECHO_GET.v1" />
        </Group>
        <Loaded query={entries} empty="Nothing is cached.">
          {({ items, ...page }) => (
            <>
              <DataTable
                label="REST cache"
                isStacked
                columns={columns}
                rows={items}
                keyOf={({ operationId, url, operator }) => `${operationId} ${url} ${operator}`}
              />
              <Pages {...page} />
            </>
          )}
        </Loaded>
      </Stack>
      <Dialog
        title={asked?.url === undefined ? 'Delete all of an operation?' : 'Delete the entries of this URL?'}
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
        <Text size="sm">Here at once, everywhere within a second. The next call runs the handler.</Text>
      </Dialog>
    </>
  )
}

const fixed: readonly Column<Entry>[] = [
  { title: 'URL', show: ({ url }) => <span className="mono">{url ?? 'not kept'}</span> },
  { title: 'Operation', isOnlyWide: true, show: ({ operationId }) => operationId },
  { title: 'For', isOnlyWide: true, show: ({ operator }) => operator ?? 'all callers' },
  { title: 'Until', show: ({ expires }) => showTime(expires) },
  { title: 'Bytes', isOnlyWide: true, show: ({ size }) => size.toLocaleString('en') },
]
