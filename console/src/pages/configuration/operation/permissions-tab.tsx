/** The permission lists that name an operation or its service. */
import { List, Text } from '@mantine/core'
import { useItems } from '../../../api/items.ts'
import { useCurrentDraft } from '../../../current-draft.tsx'
import { pathOf, type Value } from '../../../lists.ts'
import type { Editing } from '../../../parts/fields.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Link } from '../../../router.tsx'
import { idOf } from './id-of.ts'

export function PermissionsTab({ editing }: Editing) {
  const { draft } = useCurrentDraft()
  const permissionLists = useItems('permissionLists', draft, { limit: 500 })
  const id = idOf(editing.value)
  const by = (value: Value) =>
    (value.services as string[] | undefined)?.includes(String(editing.value.service))
      ? `its service ${editing.value.service}`
      : (value.operations as string[] | undefined)?.includes(id)
        ? 'this operation'
        : undefined
  return (
    <Loaded query={permissionLists}>
      {({ items }) => {
        const permitting = items.filter(({ value, state }) => state !== 'removed' && by(value) !== undefined)
        return permitting.length === 0 ? (
          <Text>No permission list contains this operation or its service. No operator can call it.</Text>
        ) : (
          <>
            <List size="sm">
              {permitting.map((item) => (
                <List.Item key={item.id}>
                  <Link to={pathOf('permissionLists', item.id)} underline="always">
                    {item.id}
                  </Link>{' '}
                  contains {by(item.value)}
                </List.Item>
              ))}
            </List>
            <Link to={`/permission-matrix?operation=${encodeURIComponent(id)}`}>Operators with these lists</Link>
          </>
        )
      }}
    </Loaded>
  )
}
