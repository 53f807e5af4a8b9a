/** The table of pages: where each is, what it is called, and what it shows; each is loaded when it is first opened. */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

export interface PageProps {
  /** What the path has after the page's own; of a list, empty. */
  readonly id: string
}

export interface Page {
  readonly path: string
  readonly title: string
  readonly group: 'Configuration' | 'Security' | 'Running'
  readonly show: LazyExoticComponent<ComponentType<PageProps>>
}

export const pages: readonly Page[] = [
  { path: '/operators', title: 'Operators', group: 'Security', show: lazy(() => import('./pages/operators.tsx')) },
  {
    path: '/permission-matrix',
    title: 'Who may call what',
    group: 'Security',
    show: lazy(() => import('./pages/permission-matrix.tsx')),
  },
  { path: '/audit', title: 'Audit', group: 'Running', show: lazy(() => import('./pages/audit.tsx')) },
]
export const firstPage = '/operators'

export function findPage(path: string): { readonly page: Page; readonly id: string } | undefined {
  const page = pages.find((candidate) => path === candidate.path || path.startsWith(`${candidate.path}/`))
  if (!page) return undefined
  try {
    return { page, id: decodeURIComponent(path.slice(page.path.length + 1)) }
  } catch {
    return undefined
  }
}
