/** The page of the REST cache. */
import { DatabaseZap } from 'lucide-react'
import { later, type Page } from '../../page.ts'

const pages: readonly Page[] = [
  {
    path: '/rest-cache',
    title: 'REST cache',
    icon: DatabaseZap,
    group: 'Running',
    show: later(() => import('./page.tsx')),
  },
]

export const restCache = { pages }
