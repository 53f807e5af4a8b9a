/** An operation to be read: its figures and facts, its calls and callers, and a call to try (specification 19.3). */
import { Stack } from '@mantine/core'
import { lazy, type ReactNode } from 'react'
import { fields } from '../../../api/fields.ts'
import {
  callersOfOperation,
  factsOfOperation,
  figuresOfOperation,
  frequentCallers,
  latestCalls,
} from '../../../features.ts'
import { getField, pathOf, type Value } from '../../../lists.ts'
import { Facts } from '../../../parts/facts.tsx'
import { FeatureParts } from '../../../parts/feature-parts.tsx'
import { ProblemAlert } from '../../../parts/problem-alert.tsx'
import { TabLinks } from '../../../parts/tab-links.tsx'
import { UsedBy } from '../../../parts/used-by.tsx'
import { Link } from '../../../router.tsx'
import type { ItemEditing } from '../../../use-item-editing.ts'
import { History } from './history.tsx'

const TryForm = lazy(() => import('../../try/try-form.tsx'))

interface ViewProps {
  readonly id: string
  readonly editing: ItemEditing
}

/** By the parameter `tab`; the others are tabs of the form. */
export const views = [
  { name: '', title: 'Overview', show: Overview },
  { name: 'calls', title: 'Calls', show: Calls },
  { name: 'callers', title: 'Callers', show: Callers },
  { name: 'try', title: 'Try', show: () => <TryForm /> },
  { name: 'history', title: 'History', show: History },
] as const
type ViewName = (typeof views)[number]['name']

export function OperationTabs({ id, current }: { readonly id: string; readonly current: string }) {
  const [overview, calls, callers, tried, history] = views
  const tabs = [overview, calls, callers, { name: 'general', title: 'Settings' }, tried, history].map(
    ({ name, title }) => {
      const query = new URLSearchParams({
        ...(name !== '' && { tab: name }),
        ...(name === 'try' && { operation: id }),
      })
      return {
        title,
        to: `${pathOf('operations', id)}${query.size > 0 ? `?${query}` : ''}`,
        isCurrent: name === current,
      }
    },
  )
  return <TabLinks label="Operation" tabs={tabs} />
}

export function OperationView({ view, ...props }: ViewProps & { readonly view: ViewName }): ReactNode {
  const Show = views.find(({ name }) => name === view)?.show ?? Overview
  return <Show {...props} />
}

function Overview({ id, editing: { query, value } }: ViewProps) {
  return (
    <div className="form-page">
      <Stack gap="lg">
        {query.error && <ProblemAlert problem={query.error} onRetry={() => void query.refetch()} />}
        <FeatureParts parts={figuresOfOperation} props={{ operation: id }} />
        <FeatureParts parts={latestCalls} props={{ query: { operation: id }, ofWhom: 'of this operation' }} />
      </Stack>
      <div className="facts">
        {query.data !== undefined && (
          <>
            <FeatureParts parts={factsOfOperation} props={{ operation: id, value }} />
            <OperationFacts id={id} value={value} />
          </>
        )}
        <UsedBy list="operations" id={id} />
      </div>
    </div>
  )
}

function Calls({ id }: ViewProps) {
  return <FeatureParts parts={latestCalls} props={{ query: { operation: id }, ofWhom: 'of this operation' }} />
}

function Callers({ id }: ViewProps) {
  const frequent = <FeatureParts parts={frequentCallers} props={{ operation: id }} />
  if (callersOfOperation.length === 0) return frequent
  return <FeatureParts parts={callersOfOperation} props={{ operation: id, children: frequent }} />
}

const shown = ['description', 'verification', 'handler', 'cacheKeyPolicy', 'timeout', 'bodyLimit']

function OperationFacts({ id, value }: { readonly id: string; readonly value: Value }) {
  const rows = shown.flatMap((path) => {
    const { label = path, fallback } = fields.operations.find((field) => field.path === path) ?? {}
    const fact = getField(value, path) ?? fallback
    return typeof fact === 'string' || typeof fact === 'number' ? [[label, String(fact)] as const] : []
  })
  const { service } = value
  const ofService =
    typeof service === 'string' && service !== ''
      ? [['Service', <Link key="service" to={pathOf('services', service)} children={service} />] as const]
      : []
  return (
    <Facts title="Facts" rows={[...ofService, ...rows]}>
      <div className="links">
        <Link to={`/permission-matrix?operation=${encodeURIComponent(id)}`}>Who may call it</Link>
      </div>
    </Facts>
  )
}
