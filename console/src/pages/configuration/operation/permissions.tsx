/** The permission lists: which contain the operation or its service, and the choice of those that shall. */
import { Checkbox, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Item, useItems } from '../../../api/items.ts'
import { useCurrentDraft } from '../../../current-draft.tsx'
import { pathOf, type Value } from '../../../lists.ts'
import type { EditingProps } from '../../../parts/fields.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { breakLongWords } from '../../../parts/long-words.tsx'
import { Link } from '../../../router.tsx'
import type { OperationAlongside } from './alongside.ts'
import { idOf } from './id-of.ts'

/** If there are more lists, a field filters them. */
const fewLists = 10

export function Permissions({ editing, alongside }: EditingProps & { readonly alongside: OperationAlongside }) {
  const { draft } = useCurrentDraft()
  const permissionLists = useItems('permissionLists', draft, { limit: 500 })
  const [filter, setFilter] = useState('')
  const { permits, permit } = alongside
  const id = idOf(editing.value)
  const byService = ({ services }: Value) =>
    (services as string[] | undefined)?.includes(String(editing.value.service)) ?? false
  const byName = ({ operations }: Value) => (operations as string[] | undefined)?.includes(id) ?? false
  const isPermitting = ({ id: name, value }: Item) => byService(value) || (permits[name] ?? byName(value))
  return (
    <section aria-label="Permission lists">
      <Text size="sm" fw={500}>
        Permission lists
      </Text>
      <Text size="xs" c="dimmed" mb="xs">
        Callers with one of them may call the operation.{' '}
        {editing.id !== '' && (
          <Link to={`/permission-matrix?operation=${encodeURIComponent(id)}`} size="xs" underline="always">
            Callers with these lists
          </Link>
        )}
      </Text>
      <Loaded query={permissionLists}>
        {({ items }) => {
          const present = items.filter(({ state }) => state !== 'removed')
          const shown = present.filter((item) => item.id.toLowerCase().includes(filter.toLowerCase()))
          return (
            <Stack gap="xs">
              {present.length > fewLists && (
                <TextInput
                  aria-label="Filter permission lists"
                  placeholder="Filter"
                  value={filter}
                  onChange={(event) => setFilter(event.currentTarget.value)}
                  maw={260}
                />
              )}
              <Stack gap="xs" mah={280} style={{ overflowY: 'auto' }}>
                {shown.map((item) => (
                  <Checkbox
                    key={item.id}
                    label={breakLongWords(item.id)}
                    description={byService(item.value) ? `contains its service ${editing.value.service}` : undefined}
                    checked={isPermitting(item)}
                    disabled={editing.whyReadOnly !== undefined || byService(item.value)}
                    onChange={({ currentTarget: { checked } }) =>
                      permit(item.id, checked === byName(item.value) ? undefined : checked)
                    }
                  />
                ))}
              </Stack>
              {!present.some(isPermitting) && (
                <Text size="sm">
                  No permission list contains the operation: no caller may call it.{' '}
                  {present.length === 0 && (
                    <Link to={pathOf('permissionLists')} size="sm" underline="always">
                      Permission lists
                    </Link>
                  )}
                </Text>
              )}
            </Stack>
          )
        }}
      </Loaded>
    </section>
  )
}
