/** The table of pages: path, title, icon and component, which is loaded on first use. Its order is that of the tabs. */
import {
  AppWindow,
  ArrowRightLeft,
  BookOpenCheck,
  Boxes,
  Braces,
  CircleUser,
  GitBranch,
  Grid3x3,
  History,
  Hourglass,
  type LucideIcon,
  Mail,
  Network,
  Play,
  ScrollText,
  Settings,
  ShieldCheck,
  Ticket,
  UserCog,
  Users,
  Waypoints,
} from 'lucide-react'
import { useDrafts } from './api/drafts.ts'
import { featurePages } from './features.ts'
import { listPage } from './list-page.ts'
import { type ListName, lists } from './lists.ts'
import { later, type Page } from './page.ts'
import { good } from './theme.ts'

const listOf = (list: ListName, section: Page['section'], icon: LucideIcon, more: Pick<Page, 'isUnlisted'> = {}) =>
  listPage(list, lists[list], section, icon, more)
const ofFeatures = (...sections: readonly Page['section'][]) =>
  featurePages.filter(({ section }) => sections.includes(section))

export const pages: readonly Page[] = [
  ...ofFeatures('Home', 'Calls', 'Alerts'),
  {
    path: '/try',
    title: 'Try it',
    icon: Play,
    section: 'Calls',
    show: later(() => import('./pages/try.tsx')),
  },
  { path: '/logs', title: 'Logs', icon: ScrollText, section: 'Calls', show: later(() => import('./pages/logs.tsx')) },
  listOf('operations', 'Operations', Waypoints),
  listOf('services', 'Operations', Boxes, { isUnlisted: true }), // a column of the operations leads to them
  listOf('documents', 'Schemas', Braces),
  listOf('messages', 'Schemas', Mail),
  listOf('limits', 'Limits', Hourglass),
  ...ofFeatures('Operations', 'Schemas', 'Jobs', 'Limits', 'Cache'),
  {
    path: '/callers',
    title: 'Callers',
    icon: Users,
    section: 'Callers',
    words: 'operators users',
    hasItems: true,
    show: later(() => import('./pages/operators.tsx')),
  },
  listOf('permissionLists', 'Permissions', ShieldCheck),
  {
    path: '/permission-matrix',
    title: 'Who may call what',
    icon: Grid3x3,
    section: 'Permissions',
    show: later(() => import('./pages/permission-matrix.tsx')),
  },
  listOf('oauth2ServiceApps', 'Identity providers', AppWindow),
  ...ofFeatures('Callers', 'Permissions', 'Identity providers'),
  {
    path: '/changes',
    title: 'Changes',
    icon: History,
    section: 'Changes',
    words: 'revisions drafts drift roll back history',
    count: { one: 'draft', tone: good, useCount: () => useDrafts().data?.items.length ?? 0 },
    show: later(() => import('./pages/changes.tsx')),
  },
  {
    path: '/revisions',
    title: 'Revisions',
    icon: History,
    section: 'Changes',
    hasItems: true,
    isUnlisted: true,
    show: later(() => import('./pages/revisions.tsx')),
  },
  {
    path: '/drafts',
    title: 'Drafts',
    icon: GitBranch,
    section: 'Changes',
    hasItems: true,
    isUnlisted: true,
    show: later(() => import('./pages/drafts.tsx')),
  },
  {
    path: '/migration',
    title: 'Migration',
    icon: ArrowRightLeft,
    section: 'Migration',
    words: 'adoption',
    isOfMigration: true,
    show: later(() => import('./pages/adoption.tsx')),
  },
  {
    path: '/audit',
    title: 'Audit',
    icon: BookOpenCheck,
    section: 'Audit',
    show: later(() => import('./pages/audit.tsx')),
  },
  {
    path: '/administrators',
    title: 'Administrators',
    icon: UserCog,
    section: 'Team',
    hasItems: true,
    role: 'administrator',
    show: later(() => import('./pages/administrators.tsx')),
  },
  {
    path: '/tokens',
    title: 'API tokens',
    icon: Ticket,
    section: 'Team',
    show: later(() => import('./pages/tokens.tsx')),
  },
  {
    path: '/settings',
    title: 'Settings',
    icon: Settings,
    section: 'Settings',
    show: later(() => import('./pages/settings.tsx')),
  },
  listOf('nodes', 'Settings', Network),
  ...ofFeatures('Changes', 'Migration', 'Instances', 'Audit', 'Team', 'Settings'),
  {
    path: '/account',
    title: 'Your account',
    icon: CircleUser,
    section: undefined,
    show: later(() => import('./pages/account.tsx')),
  },
]
export const { path: firstPage, title: firstTitle } = pages[0] as Page

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

/** The pages that the navigation and its tabs offer. */
export function listedPages(isAdministrator: boolean, passesThrough: boolean): readonly Page[] {
  return pages.filter(
    ({ role, isUnlisted = false, isOfMigration = false }) =>
      !isUnlisted && (role !== 'administrator' || isAdministrator) && (!isOfMigration || passesThrough),
  )
}
