/**
 * The sidebar: a group for each section of docs/README.md, in the order of its links. A page that no section names is added
 * to the last group of its folder, so that a new page is found before it is listed.
 */
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export interface SidebarItem {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: readonly SidebarItem[]
}

/** @param folder of the pages */
export function readSidebar(folder: string): SidebarItem[] {
  const read = (page: string) => readFileSync(join(folder, page), 'utf8')
  const [, ...sections] = read('README.md').split(/^## /m)
  const rows = sections.map((section) => ({
    text: /^.*/.exec(section)?.[0] ?? '',
    pages: [...section.matchAll(/\]\(([^)#]+\.md)\)/g)].map(([, page = '']) => page),
  }))
  const listed = new Set(rows.flatMap(({ pages }) => pages))
  for (const page of globSync('*/**/*.md', { cwd: folder })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()) {
    if (listed.has(page) || posix.basename(page) === 'README.md' || page.includes('[')) continue
    const [top] = page.split('/')
    rows.findLast(({ pages }) => pages[0]?.startsWith(`${top}/`))?.pages.push(page)
  }
  const asItem = (page: string): SidebarItem => ({
    text: /^# (.*)$/m.exec(read(page))?.[1]?.replaceAll('`', '') ?? page,
    link: `/${page.replace(/README\.md$/, '').replace(/\.md$/, '')}`,
  })
  return rows.map(({ text, pages }) => ({ text, collapsed: false, items: nest(pages).map(asTree) }))

  function asTree({ page, below }: Branch): SidebarItem {
    if (page === 'reference/specification.md') return { ...asItem(page), collapsed: true, items: listFeatures(folder) }
    return below.length === 0 ? asItem(page) : { ...asItem(page), collapsed: true, items: below.map(asItem) }
  }
}

/** Their chapters are below the specification. */
function listFeatures(folder: string): SidebarItem[] {
  return globSync('../src/features/*/README.md', { cwd: folder })
    .sort()
    .map((file) => {
      const [, text = ''] = /^# (.*)$/m.exec(readFileSync(join(folder, file), 'utf8')) ?? []
      return { text, link: `/reference/features/${posix.basename(posix.dirname(file.replaceAll('\\', '/')))}` }
    })
}

interface Branch {
  readonly page: string
  readonly below: string[]
}

/** Pages of a folder are below the page that has its name, or its README.md. */
function nest(pages: readonly string[]): readonly Branch[] {
  const branches = new Map<string, Branch>()
  for (const page of pages) {
    const above = branches.get(`${posix.dirname(page)}.md`) ?? branches.get(`${posix.dirname(page)}/README.md`)
    if (above) above.below.push(page)
    else branches.set(page, { page, below: [] })
  }
  return [...branches.values()]
}
