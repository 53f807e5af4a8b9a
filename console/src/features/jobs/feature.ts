/** Jobs: their list in the configuration, and their runs. */
import { Clock, Timer } from 'lucide-react'
import type { ListFacts } from '../../list-facts.ts'
import { listPage } from '../../list-page.ts'
import { later, type Page } from '../../page.ts'
import type { Column } from '../../parts/column.ts'

const facts: ListFacts = {
  isUnnamed: true,
  path: 'jobs',
  one: 'job',
  many: 'Jobs',
  start: { name: '', every: '1h', handler: '' },
}

const pages: readonly Page[] = [
  {
    path: '/job-runs',
    title: 'Job runs',
    icon: Timer,
    group: 'Running',
    show: later(() => import('./job-runs.tsx')),
  },
  listPage('jobs', facts, 'Configuration', Clock),
]

const columns: readonly Column<{ readonly value: Readonly<Record<string, unknown>> }>[] = [
  { title: 'Schedule', value: ({ value: { every, at } }) => String(every ?? at ?? '') },
]

export const jobs = { pages, lists: { jobs: facts }, columns: { jobs: columns } }
