/** The versions of an operation, and a link to add the next one. */
import { Button, Group, List, Text } from '@mantine/core'
import { useItems } from '../../../api/items.ts'
import { useCurrentDraft } from '../../../current-draft.tsx'
import { pathOf } from '../../../lists.ts'
import type { EditingProps } from '../../../parts/fields.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { hrefOf, Link, onLink } from '../../../router.tsx'

export function VersionsTab({ editing }: EditingProps) {
  const { draft } = useCurrentDraft()
  const { name, method } = editing.value
  const others = useItems('operations', draft, { search: `${name}_${method}`, limit: 100 })
  return (
    <Loaded query={others}>
      {({ items }) => {
        const versions = items.filter(({ value }) => value.name === name && value.method === method)
        const next =
          1 + Math.max(0, ...versions.map(({ value }) => Number(String(value.version ?? 'v1').slice(1)) || 0))
        const to = `${pathOf('operations', '+new')}?from=${encodeURIComponent(editing.id)}&version=v${next}`
        return (
          <>
            <List size="sm">
              {versions.map(({ id, value }) => (
                <List.Item key={id}>
                  {id === editing.id ? (
                    <b>{id}</b>
                  ) : (
                    <Link to={pathOf('operations', id)} underline="always">
                      {id}
                    </Link>
                  )}
                  {value.isActive === false && ', inactive'}
                </List.Item>
              ))}
            </List>
            <Text size="sm" c="dimmed">
              All versions can be called, each by its own URL.
            </Text>
            {editing.whyReadOnly === undefined && editing.id !== '' && (
              <Group>
                <Button variant="default" component="a" href={hrefOf(to)} onClick={onLink(to)}>
                  Add version v{next} as a copy of this one
                </Button>
              </Group>
            )}
          </>
        )
      }}
    </Loaded>
  )
}
