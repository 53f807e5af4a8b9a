/** The table of pages: path, title, icon and component, which is loaded on first use. */
import {
  Activity,
  AppWindow,
  ArrowRightLeft,
  BookOpenCheck,
  Boxes,
  CircleUser,
  Clock,
  DatabaseZap,
  FileText,
  Gauge,
  GitBranch,
  Grid3x3,
  History,
  Hourglass,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Mail,
  Play,
  ScrollText,
  Server,
  Settings,
  ShieldCheck,
  Ticket,
  Timer,
  UserCog,
  Users,
  Waypoints,
  Webhook,
} from 'lucide-react'
import { createElement } from 'react'
import { type ListName, lists } from './lists.ts'
import { later, type Page, type PageProps } from './page.ts'

function listPage(list: ListName, group: Page['group'], icon: LucideIcon): Page {
  const { many, path } = lists[list]
  const show = later(async () => {
    const { ConfigurationPage } = await import('./pages/configuration.tsx')
    return { default: ({ id }: PageProps) => createElement(ConfigurationPage, { list, id }) }
  })
  return { path: `/${path}`, title: many, icon, group, hasItems: true, show }
}

export const pages: readonly Page[] = [
  {
    path: '/overview',
    title: 'Overview',
    icon: LayoutDashboard,
    group: 'Running',
    hasItems: true,
    show: later(() => import('./pages/overview.tsx')),
  },
  {
    path: '/monitor',
    title: 'Monitor',
    icon: Activity,
    group: 'Running',
    hasItems: true,
    staysBelow: true,
    show: later(() => import('./pages/monitor.tsx')),
  },
  { path: '/logs', title: 'Logs', icon: ScrollText, group: 'Running', show: later(() => import('./pages/logs.tsx')) },
  { path: '/try', title: 'Try it', icon: Play, group: 'Running', show: later(() => import('./pages/try.tsx')) },
  {
    path: '/job-runs',
    title: 'Job runs',
    icon: Timer,
    group: 'Running',
    show: later(() => import('./pages/job-runs.tsx')),
  },
  {
    path: '/limited',
    title: 'Limited callers',
    icon: Gauge,
    group: 'Running',
    show: later(() => import('./pages/limited.tsx')),
  },
  {
    path: '/adoption',
    title: 'Adoption',
    icon: ArrowRightLeft,
    group: 'Running',
    show: later(() => import('./pages/adoption.tsx')),
  },
  {
    path: '/rest-cache',
    title: 'REST cache',
    icon: DatabaseZap,
    group: 'Running',
    show: later(() => import('./pages/rest-cache.tsx')),
  },
  listPage('operations', 'Configuration', Waypoints),
  listPage('services', 'Configuration', Boxes),
  listPage('documents', 'Configuration', FileText),
  listPage('messages', 'Configuration', Mail),
  listPage('nodes', 'Configuration', Server),
  listPage('jobs', 'Configuration', Clock),
  listPage('limits', 'Configuration', Hourglass),
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
  listPage('permissionLists', 'Security', ShieldCheck),
  {
    path: '/permission-matrix',
    title: 'Who may call what',
    icon: Grid3x3,
    group: 'Security',
    show: later(() => import('./pages/permission-matrix.tsx')),
  },
  listPage('oauth2ServiceApps', 'Security', AppWindow),
  {
    path: '/session-token-keys',
    title: 'Session token keys',
    icon: KeyRound,
    group: 'Security',
    show: later(() => import('./pages/session-token-keys.tsx')),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    icon: Webhook,
    group: 'Administration',
    show: later(() => import('./pages/webhooks.tsx')),
  },
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
