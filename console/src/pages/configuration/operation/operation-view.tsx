/** An operation to be read: its figures and facts, its calls and callers, and a call to try (specification 19.3). */
import { Paper, Stack, Table, Title } from '@mantine/core'
import { lazy, type ReactNode } from 'react'
import { fields } from '../../../api/fields.ts'
import { callersOfOperation, figuresOfOperation, latestCalls } from '../../../features.ts'
import { getField, pathOf, type Value } from '../../../lists.ts'
import { FeatureLink } from '../../../parts/feature-link.tsx'
import { FeatureParts } from '../../../parts/feature-parts.tsx'
import { ProblemAlert } from '../../../parts/problem-alert.tsx'
import { TabLinks } from '../../../parts/tab-links.tsx'
import { UsedBy } from '../../../parts/used-by.tsx'
import { Link } from '../../../router.tsx'
import type { ItemEditing } from '../../../use-item-editing.ts'

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
] as const
type ViewName = (typeof views)[number]['name']

export function OperationTabs({ id, current }: { readonly id: string; readonly current: string }) {
  const [overview, calls, callers, tried] = views
  const tabs = [overview, calls, callers, { name: 'general', title: 'Settings' }, tried].map(({ name, title }) => {
    const query = new URLSearchParams({
      ...(name !== '' && { tab: name }),
      ...(name === 'try' && { operation: id }),
    })
    return { title, to: `${pathOf('operations', id)}${query.size > 0 ? `?${query}` : ''}`, isCurrent: name === current }
  })
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
        {query.data !== undefined && <Facts id={id} value={value} />}
        <UsedBy list="operations" id={id} />
      </div>
    </div>
  )
}

function Calls({ id }: ViewProps) {
  return <FeatureParts parts={latestCalls} props={{ query: { operation: id }, ofWhom: 'of this operation' }} />
}

function Callers({ id }: ViewProps) {
  return <FeatureParts parts={callersOfOperation} props={{ operation: id }} />
}

const shown = ['description', 'verification', 'handler', 'cacheKeyPolicy', 'timeout', 'bodyLimit']

function Facts({ id, value }: { readonly id: string; readonly value: Value }) {
  const rows = shown.flatMap((path) => {
    const { label = path, fallback } = fields.operations.find((field) => field.path === path) ?? {}
    const fact = getField(value, path) ?? fallback
    return typeof fact === 'string' || typeof fact === 'number' ? [[label, String(fact)] as const] : []
  })
  const { service } = value
  const named = encodeURIComponent(id)
  return (
    <Paper withBorder p="md" component="section" aria-label="Facts">
      <Title order={2} mb={4}>
        Facts
      </Title>
      <Table withRowBorders={false}>
        <Table.Tbody>
          {typeof service === 'string' && service !== '' && (
            <Fact label="Service">
              <Link to={pathOf('services', service)}>{service}</Link>
            </Fact>
          )}
          {rows.map(([label, fact]) => (
            <Fact key={label} label={label}>
              {fact}
            </Fact>
          ))}
        </Table.Tbody>
      </Table>
      <Stack gap={0} mt="xs" className="links">
        <FeatureLink to={`/calls?operation=${named}&status=Error`}>Failed and refused calls</FeatureLink>
        <FeatureLink to={`/cache?operation=${named}`}>Cached responses</FeatureLink>
        <FeatureLink to="/limited">Limited callers</FeatureLink>
        <Link to={`/permission-matrix?operation=${named}`}>Who may call it</Link>
      </Stack>
    </Paper>
  )
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" c="dimmed" fw={400} w="40%">
        {label}
      </Table.Th>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  )
}
