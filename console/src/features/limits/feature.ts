/** The page of limited callers. */
import { Gauge } from 'lucide-react'
import { later, type Page } from '../../page.ts'

const pages: readonly Page[] = [
  {
    path: '/limited',
    title: 'Limited callers',
    icon: Gauge,
    section: 'Limits',
    show: later(() => import('./page.tsx')),
  },
]

export const limits = { pages }
