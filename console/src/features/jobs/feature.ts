/** Jobs: their list in the configuration, and their runs. */
import { Clock, Timer } from 'lucide-react'
import { description, type ListFacts, name } from '../../list-facts.ts'
import { listPage } from '../../list-page.ts'
import { later, type Page } from '../../page.ts'
import type { Column } from '../../parts/column.ts'

const facts: ListFacts = {
  isUnnamed: true,
  path: 'jobs',
  one: 'job',
  many: 'Jobs',
  start: { name: '', every: '1h', handler: '' },
  fields: [
    name,
    description,
    {
      path: 'isActive',
      label: 'Active',
      kind: 'switch',
      fallback: true,
      help: 'An inactive job runs only on request',
    },
    { path: 'every', label: 'Interval', kind: 'text', help: '30s, 5min, 12h, 7d. Either this or a cron expression' },
    {
      path: 'at',
      label: 'Cron expression',
      kind: 'text',
      help: 'Minute, hour, day of the month, month, day of the week: 0 3 * * *',
    },
    {
      path: 'timeZone',
      label: 'Time zone',
      kind: 'text',
      help: 'Time zone of the cron expression, such as Europe/Berlin. Default: UTC',
    },
    {
      path: 'handler',
      label: 'Handler',
      kind: 'text',
      isRequired: true,
      help: 'The class that runs: handlers/clean-up.ts, or handlers/clean-up.ts#CleanUp',
    },
    {
      path: 'timeLimit',
      label: 'Time limit',
      kind: 'text',
      fallback: '5min',
      help: 'A longer run is ended and rolled back',
    },
    {
      path: 'retries',
      label: 'Retries',
      kind: 'number',
      fallback: 0,
      help: 'Number of times a failed run is repeated',
    },
  ],
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
