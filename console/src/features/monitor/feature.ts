/** The monitor: its page, and its parts of Home and of the pages of callers and operations. */
import { Activity } from 'lucide-react'
import { type CallsOf, type LazyPart, later, type Page } from '../../page.ts'

const pages: readonly Page[] = [
  {
    path: '/calls',
    title: 'Calls',
    icon: Activity,
    section: 'Calls',
    words: 'monitor transactions',
    hasItems: true,
    staysBelow: true,
    show: later(() => import('./monitor.tsx')),
  },
]

const latestCalls: readonly LazyPart<CallsOf>[] = [later(() => import('./latest-calls.tsx'))]
const callers: readonly LazyPart<{ readonly operation: string }>[] = [later(() => import('./callers.tsx'))]

const home: readonly LazyPart<object>[] = [later(() => import('./home-calls.tsx'))]

export const monitor = { pages, latestCalls, callers, home }
