/** The heading of a page, with its actions. */
import { Group, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from '../router.tsx'

interface Props {
  readonly title: string
  /** The list that the item belongs to. */
  readonly of?: { readonly title: string; readonly path: string }
  readonly children?: ReactNode
}

export function PageHead({ title, of, children }: Props) {
  return (
    <div style={{ marginBottom: '1rem' }}>
      {of && (
        <Link to={of.path} size="sm">
          {of.title}
        </Link>
      )}
      <Group justify="space-between" gap="sm">
        <Title order={1} style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
          {title}
        </Title>
        {children && <Group gap="xs">{children}</Group>}
      </Group>
    </div>
  )
}
