/** The heading of a page, from its row in the table of pages, with its actions. */
import { Group, Title } from '@mantine/core'
import { createContext, type ReactNode, use } from 'react'
import type { Page } from '../page.ts'
import { Link } from '../router.tsx'

export const CurrentPage = createContext<Pick<Page, 'title' | 'path'>>({ title: '', path: '/' })

interface Props {
  /** Heading of an item, below a link to the page that lists it. */
  readonly item?: string
  readonly children?: ReactNode
}

export function PageHead({ item, children }: Props) {
  const { title, path } = use(CurrentPage)
  return (
    <div style={{ marginBottom: '1rem' }}>
      {item !== undefined && (
        <Link to={path} size="sm">
          {title}
        </Link>
      )}
      <Group justify="space-between" gap="sm">
        <Title order={1} style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
          {item ?? title}
        </Title>
        {children && <Group gap="xs">{children}</Group>}
      </Group>
    </div>
  )
}
