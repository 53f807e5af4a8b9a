/** The first page: figures of calls over time, and the instances. */
import { LayoutDashboard } from 'lucide-react'
import { later, type Page } from '../../page.ts'

const pages: readonly Page[] = [
  {
    path: '/overview',
    title: 'Overview',
    icon: LayoutDashboard,
    group: 'Running',
    isFirst: true,
    hasItems: true,
    show: later(() => import('./overview.tsx')),
  },
]

export const metrics = { pages }
