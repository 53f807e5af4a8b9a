/** The first page: figures of calls over time, and the instances. */
import { BellRing, House, Server } from 'lucide-react'
import { type LazyPart, later, type OperationFactsProps, type Page } from '../../page.ts'
import { useAlertCount } from './api.ts'
import { useOperationColumns } from './operation-columns.tsx'

const pages: readonly Page[] = [
  {
    path: '/home',
    title: 'Home',
    icon: House,
    section: 'Home',
    words: 'overview figures',
    hasItems: true,
    show: later(() => import('./overview.tsx')),
  },
  {
    path: '/instances',
    title: 'Instances',
    icon: Server,
    section: 'Instances',
    words: 'cluster processes memory',
    show: later(() => import('./instances-page.tsx')),
  },
  {
    path: '/alerts',
    title: 'Alerts',
    icon: BellRing,
    section: 'Alerts',
    count: { one: 'alert', tone: 'failed', useCount: useAlertCount },
    show: later(() => import('./alerts-page.tsx')),
  },
]

const figures: readonly LazyPart<{ readonly operation: string }>[] = [later(() => import('./operation-figures.tsx'))]

const callers: readonly LazyPart<{ readonly operation: string }>[] = [later(() => import('./frequent-callers.tsx'))]

const facts: readonly LazyPart<OperationFactsProps>[] = [later(() => import('./day-facts.tsx'))]

export const metrics = { pages, figures, callers, facts, operationColumns: [useOperationColumns] }
