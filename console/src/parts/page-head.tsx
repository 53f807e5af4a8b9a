/** The heading of a page, from its row in the table of pages, with its tabs and actions; also names the tab of the browser. */
import { Group, Text, Title } from '@mantine/core'
import { createContext, type ReactNode, use, useEffect } from 'react'
import type { Page } from '../page.ts'
import { Link } from '../router.tsx'
import { TabLinks } from './tab-links.tsx'

export const product = 'Integration Gateway'
export const CurrentPage = createContext<{
  readonly page: Pick<Page, 'title' | 'path' | 'section'>
  /** The pages that the navigation and its tabs offer. */
  readonly listed: readonly Page[]
}>({ page: { title: '', path: '/', section: undefined }, listed: [] })

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
  /** The filters of the list that the item was opened from: `?status=Error` */
  readonly search?: string
  /** Text beside the heading. */
  readonly detail?: string | undefined
  readonly children?: ReactNode
}

export function PageHead({ item, search = '', detail, children }: Props) {
  const {
    page: { title, path, section = title },
  } = use(CurrentPage)
  useTabTitle(item, title, title === section ? undefined : section)
  return (
    <div className="page-head">
      {item !== undefined && (
        <nav aria-label="Breadcrumb">
          {title !== section && (
            <Text span size="sm" c="dimmed">
              {section} /{' '}
            </Text>
          )}
          <Link to={path + search} size="sm">
            {title}
          </Link>
        </nav>
      )}
      <Group justify="space-between" gap="sm">
        <Title order={1} style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
          {item ?? section}{' '}
          {detail !== undefined && (
            <Text span c="dimmed" ml="xs" size="lg" className="mono">
              {detail}
            </Text>
          )}
        </Title>
        {children && <Group gap="xs">{children}</Group>}
      </Group>
      {item === undefined && <PageTabs />}
    </div>
  )
}

/** The pages of one entry of the navigation. */
function PageTabs() {
  const { page, listed } = use(CurrentPage)
  const tabs = listed.filter(({ section }) => section !== undefined && section === page.section)
  if (tabs.length < 2) return null
  const links = tabs.map(({ path, title }) => ({ title, to: path, isCurrent: path === page.path }))
  return <TabLinks label={page.section} tabs={links} />
}
