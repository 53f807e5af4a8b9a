/** The page of limited callers. */
import { Gauge } from 'lucide-react'
import { type LazyPart, later, type OperationFactsProps, type Page } from '../../page.ts'

const pages: readonly Page[] = [
  {
    path: '/limited',
    title: 'Limited callers',
    icon: Gauge,
    section: 'Limits',
    show: later(() => import('./page.tsx')),
  },
]

const facts: readonly LazyPart<OperationFactsProps>[] = [later(() => import('./operation-facts.tsx'))]

export const limits = { pages, facts }
