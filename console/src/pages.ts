/** The table of pages: path, title and component, which is loaded on first use. */
import { createElement, lazy } from 'react'
import { type ListName, lists } from './lists.ts'
import type { Page, PageProps } from './page.ts'

function listPage(list: ListName, group: Page['group']): Page {
  const { many, path } = lists[list]
  const show = lazy(async () => {
    const { ConfigurationPage } = await import('./pages/configuration.tsx')
    return { default: ({ id }: PageProps) => createElement(ConfigurationPage, { list, id }) }
  })
  return { path: `/${path}`, title: many, group, hasItems: true, show }
}

export const pages: readonly Page[] = [
  { path: '/overview', title: 'Overview', group: 'Running', show: lazy(() => import('./pages/overview.tsx')) },
  {
    path: '/monitor',
    title: 'Monitor',
    group: 'Running',
    hasItems: true,
    staysBelow: true,
    show: lazy(() => import('./pages/monitor.tsx')),
  },
  { path: '/logs', title: 'Logs', group: 'Running', show: lazy(() => import('./pages/logs.tsx')) },
  { path: '/try', title: 'Try it', group: 'Running', show: lazy(() => import('./pages/try.tsx')) },
  { path: '/job-runs', title: 'Job runs', group: 'Running', show: lazy(() => import('./pages/job-runs.tsx')) },
  { path: '/limited', title: 'Limited callers', group: 'Running', show: lazy(() => import('./pages/limited.tsx')) },
  { path: '/adoption', title: 'Adoption', group: 'Running', show: lazy(() => import('./pages/adoption.tsx')) },
  { path: '/rest-cache', title: 'REST cache', group: 'Running', show: lazy(() => import('./pages/rest-cache.tsx')) },
  listPage('operations', 'Configuration'),
  listPage('services', 'Configuration'),
  listPage('documents', 'Configuration'),
  listPage('messages', 'Configuration'),
  listPage('nodes', 'Configuration'),
  listPage('jobs', 'Configuration'),
  listPage('limits', 'Configuration'),
  {
    path: '/drafts',
    title: 'Drafts',
    group: 'Configuration',
    hasItems: true,
    show: lazy(() => import('./pages/drafts.tsx')),
  },
  {
    path: '/revisions',
    title: 'Revisions',
    group: 'Configuration',
    hasItems: true,
    show: lazy(() => import('./pages/revisions.tsx')),
  },
  {
    path: '/operators',
    title: 'Operators',
    group: 'Security',
    hasItems: true,
    show: lazy(() => import('./pages/operators.tsx')),
  },
  listPage('permissionLists', 'Security'),
  {
    path: '/permission-matrix',
    title: 'Who may call what',
    group: 'Security',
    show: lazy(() => import('./pages/permission-matrix.tsx')),
  },
  listPage('oauth2ServiceApps', 'Security'),
  {
    path: '/session-token-keys',
    title: 'Session token keys',
    group: 'Security',
    show: lazy(() => import('./pages/session-token-keys.tsx')),
  },
  { path: '/webhooks', title: 'Webhooks', group: 'Administration', show: lazy(() => import('./pages/webhooks.tsx')) },
  { path: '/audit', title: 'Audit', group: 'Administration', show: lazy(() => import('./pages/audit.tsx')) },
  {
    path: '/administrators',
    title: 'Administrators',
    group: 'Administration',
    hasItems: true,
    role: 'administrator',
    show: lazy(() => import('./pages/administrators.tsx')),
  },
  { path: '/tokens', title: 'API tokens', group: 'Administration', show: lazy(() => import('./pages/tokens.tsx')) },
  { path: '/settings', title: 'Settings', group: 'Administration', show: lazy(() => import('./pages/settings.tsx')) },
  { path: '/account', title: 'Your account', group: undefined, show: lazy(() => import('./pages/account.tsx')) },
]
export const firstPage = '/overview'

export function findPage(path: string): { readonly page: Page; readonly id: string } | undefined {
  const page = pages.find((candidate) => path === candidate.path || path.startsWith(`${candidate.path}/`))
  if (!page) return undefined
  try {
    const id = decodeURIComponent(path.slice(page.path.length + 1))
    return id === '' || page.hasItems ? { page, id } : undefined
  } catch {
    return undefined
  }
}
