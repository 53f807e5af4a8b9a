/** The page of the REST cache. */
import { DatabaseZap } from 'lucide-react'
import { type LazyPart, later, type OperationFactsProps, type Page } from '../../page.ts'

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

const facts: readonly LazyPart<OperationFactsProps>[] = [later(() => import('./operation-facts.tsx'))]

export const restCache = { pages, facts }
