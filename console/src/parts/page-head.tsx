/** The heading of a page, from its row in the table of pages, with its actions; also names the tab of the browser. */
import { Group, Text, Title } from '@mantine/core'
import { createContext, type ReactNode, use, useEffect } from 'react'
import type { Page } from '../page.ts'
import { Link } from '../router.tsx'

export const product = 'Integration Gateway'
export const CurrentPage = createContext<Pick<Page, 'title' | 'path' | 'group'>>({
  title: '',
  path: '/',
  group: undefined,
})

/** Names the tab of the browser and the entry of its history: the most specific first. */
export function useTabTitle(...parts: readonly (string | undefined)[]): void {
  const title = [...parts.filter((part) => part !== undefined), product].join(' – ')
  useEffect(() => {
    document.title = title
  }, [title])
}

interface Props {
  /** Heading of an item, below the way to the page that lists it. */
  readonly item?: string
  /** Text beside the heading. */
  readonly detail?: string | undefined
  readonly children?: ReactNode
}

export function PageHead({ item, detail, children }: Props) {
  const { title, path, group } = use(CurrentPage)
  useTabTitle(item, title)
  return (
    <div style={{ marginBottom: '1rem' }}>
      {item !== undefined && (
        <nav aria-label="Breadcrumb">
          <Text span size="sm" c="dimmed">
            {group} /{' '}
          </Text>
          <Link to={path} size="sm">
            {title}
          </Link>
        </nav>
      )}
      <Group justify="space-between" gap="sm">
        <Title order={1} style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
          {item ?? title}{' '}
          {detail !== undefined && (
            <Text span c="dimmed" ml="xs" size="lg" className="mono">
              {detail}
            </Text>
          )}
        </Title>
        {children && <Group gap="xs">{children}</Group>}
      </Group>
    </div>
  )
}
