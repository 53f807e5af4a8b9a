/** The monitor: its page, and its parts of Home and of the pages of callers and operations. */
import { Activity } from 'lucide-react'
import { type CallersOf, type CallsOf, type LazyPart, later, type OperationFactsProps, type Page } from '../../page.ts'
import { useOperationColumns, useOperatorColumns } from './use-columns.tsx'

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
const callers: readonly LazyPart<CallersOf>[] = [later(() => import('./callers.tsx'))]
const operatorFacts: readonly LazyPart<{ readonly id: string }>[] = [later(() => import('./operator-facts.tsx'))]
const facts: readonly LazyPart<OperationFactsProps>[] = [later(() => import('./last-failures.tsx'))]

const home: readonly LazyPart<object>[] = [later(() => import('./home-calls.tsx'))]
export const monitor = {
  pages,
  latestCalls,
  callers,
  facts,
  operatorFacts,
  home,
  operationColumns: [useOperationColumns],
  operatorColumns: [useOperatorColumns],
}
