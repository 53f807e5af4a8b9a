/** The table of pages: path, title, icon and component, which is loaded on first use. */
import {
  AppWindow,
  ArrowRightLeft,
  BookOpenCheck,
  Boxes,
  CircleUser,
  FileText,
  GitBranch,
  Grid3x3,
  History,
  Hourglass,
  type LucideIcon,
  Mail,
  Play,
  ScrollText,
  Server,
  Settings,
  ShieldCheck,
  Ticket,
  UserCog,
  Users,
  Waypoints,
} from 'lucide-react'
import { featurePages } from './features.ts'
import { listPage } from './list-page.ts'
import { type ListName, lists } from './lists.ts'
import { later, type Page } from './page.ts'

const listOf = (list: ListName, group: Page['group'], icon: LucideIcon) => listPage(list, lists[list], group, icon)
const ofFeatures = (group: Page['group'], isFirst = false) =>
  featurePages.filter((page) => page.group === group && (page.isFirst ?? false) === isFirst)

export const pages: readonly Page[] = [
  ...ofFeatures('Running', true),
  { path: '/logs', title: 'Logs', icon: ScrollText, group: 'Running', show: later(() => import('./pages/logs.tsx')) },
  { path: '/try', title: 'Try it', icon: Play, group: 'Running', show: later(() => import('./pages/try.tsx')) },
  ...ofFeatures('Running'),
  {
    path: '/adoption',
    title: 'Adoption',
    icon: ArrowRightLeft,
    group: 'Running',
    show: later(() => import('./pages/adoption.tsx')),
  },
  listOf('operations', 'Configuration', Waypoints),
  listOf('services', 'Configuration', Boxes),
  listOf('documents', 'Configuration', FileText),
  listOf('messages', 'Configuration', Mail),
  listOf('nodes', 'Configuration', Server),
  ...ofFeatures('Configuration'),
  listOf('limits', 'Configuration', Hourglass),
  {
    path: '/drafts',
    title: 'Drafts',
    icon: GitBranch,
    group: 'Configuration',
    hasItems: true,
    show: later(() => import('./pages/drafts.tsx')),
  },
  {
    path: '/revisions',
    title: 'Revisions',
    icon: History,
    group: 'Configuration',
    hasItems: true,
    show: later(() => import('./pages/revisions.tsx')),
  },
  {
    path: '/operators',
    title: 'Operators',
    icon: Users,
    group: 'Security',
    hasItems: true,
    show: later(() => import('./pages/operators.tsx')),
  },
  listOf('permissionLists', 'Security', ShieldCheck),
  {
    path: '/permission-matrix',
    title: 'Who may call what',
    icon: Grid3x3,
    group: 'Security',
    show: later(() => import('./pages/permission-matrix.tsx')),
  },
  listOf('oauth2ServiceApps', 'Security', AppWindow),
  ...ofFeatures('Security'),
  ...ofFeatures('Administration'),
  {
    path: '/audit',
    title: 'Audit',
    icon: BookOpenCheck,
    group: 'Administration',
    show: later(() => import('./pages/audit.tsx')),
  },
  {
    path: '/administrators',
    title: 'Administrators',
    icon: UserCog,
    group: 'Administration',
    hasItems: true,
    role: 'administrator',
    show: later(() => import('./pages/administrators.tsx')),
  },
  {
    path: '/tokens',
    title: 'API tokens',
    icon: Ticket,
    group: 'Administration',
    show: later(() => import('./pages/tokens.tsx')),
  },
  {
    path: '/settings',
    title: 'Settings',
    icon: Settings,
    group: 'Administration',
    show: later(() => import('./pages/settings.tsx')),
  },
  {
    path: '/account',
    title: 'Your account',
    icon: CircleUser,
    group: undefined,
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
