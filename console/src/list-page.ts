/** The page of a list of the configuration. */
import type { LucideIcon } from 'lucide-react'
import { createElement } from 'react'
import type { ListName } from './field.ts'
import type { ListFacts } from './list-facts.ts'
import { later, type Page, type PageProps } from './page.ts'

export function listPage(
  list: ListName,
  { many, path }: Pick<ListFacts, 'many' | 'path'>,
  section: Page['section'],
  icon: LucideIcon,
  more: Pick<Page, 'isUnlisted'> = {},
): Page {
  const show = later(async () => {
    const { ConfigurationPage } = await import('./pages/configuration.tsx')
    return { default: ({ id }: PageProps) => createElement(ConfigurationPage, { list, id }) }
  })
  return { path: `/${path}`, title: many, icon, section, hasItems: true, show, ...more }
}
