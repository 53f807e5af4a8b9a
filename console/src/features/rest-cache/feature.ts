/** The page of the REST cache. */
import { DatabaseZap } from 'lucide-react'
import { later, type Page } from '../../page.ts'

const pages: readonly Page[] = [
  {
    path: '/cache',
    title: 'Cache',
    icon: DatabaseZap,
    section: 'Cache',
    words: 'rest cache',
    show: later(() => import('./page.tsx')),
  },
]

export const restCache = { pages }
