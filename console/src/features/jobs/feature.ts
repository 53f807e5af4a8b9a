/** Jobs: their list in the configuration, and their runs. */
import { Clock, Timer } from 'lucide-react'
import type { ListFacts } from '../../list-facts.ts'
import { listPage } from '../../list-page.ts'
import { later, type Page } from '../../page.ts'
import type { Column } from '../../parts/column.ts'
import { useRunColumns } from './run-columns.tsx'

const facts: ListFacts = {
  isUnnamed: true,
  path: 'jobs',
  one: 'job',
  many: 'Jobs',
  start: { name: '', every: '1h', handler: '' },
}

const pages: readonly Page[] = [
  listPage('jobs', facts, 'Jobs', Clock),
  {
    path: '/job-runs',
    title: 'Runs',
    words: 'job runs',
    icon: Timer,
    section: 'Jobs',
    show: later(() => import('./job-runs.tsx')),
  },
]

const columns: readonly Column<{ readonly value: Readonly<Record<string, unknown>> }>[] = [
  { title: 'Schedule', value: ({ value: { every, at } }) => String(every ?? at ?? '') },
]

export const jobs = { pages, lists: { jobs: facts }, columns: { jobs: columns }, figures: [useRunColumns] }
