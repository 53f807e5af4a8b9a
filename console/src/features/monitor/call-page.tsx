/** One call on one page: its verdict, steps, log entries and messages (specification 21.19). */
import { Alert, Badge, Group, Stack, Text, Title } from '@mantine/core'
import { Fragment, type ReactNode, useEffect } from 'react'
import { Problem } from '../../api/client.ts'
import { pathOfFigures } from '../../lists.ts'
import { FeatureLink } from '../../parts/feature-link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { showDuration } from '../../parts/show-value.tsx'
import { StepList } from '../../parts/step-list.tsx'
import { isTyping } from '../../parts/use-shortcuts.ts'
import { meaningOf } from '../../refusals.ts'
import { go, Link } from '../../router.tsx'
import { type TransactionDetail, useTransaction } from './api.ts'
import { CallLogs, CallStack } from './call-logs.tsx'
import { Messages } from './call-messages.tsx'
import { NeighbourButtons, type Neighbours } from './neighbours.tsx'
import { OutcomeBadge } from './show-transaction.tsx'
import { TryAgain } from './try-again.tsx'

interface Props {
  readonly transactionId: string
  readonly neighbours: Neighbours
  /** The filters of the list. */
  readonly search: string
}

export function CallPage({ transactionId, neighbours, search }: Props) {
  const transaction = useTransaction(transactionId)
  const found = transaction.data
  useKeys({ j: neighbours.next, k: neighbours.previous, Escape: `/calls${search}` })
  return (
    <section aria-label="Call">
      <PageHead item={found ? (found.operation ?? `${found.method} ${found.url}`) : 'Call'} search={search}>
        {found && <TryAgain found={found} />}
        <NeighbourButtons {...neighbours} />
      </PageHead>
      {transaction.error instanceof Problem && transaction.error.code === 'notFound' ? (
        <Text>
          There is no call <span className="mono text">{transactionId}</span> in the monitor. It may be older than the
          calls kept, have exceeded ig.monitor.perSecond, or belong to another gateway.
        </Text>
      ) : (
        <Loaded key={transactionId} query={transaction}>
          {(found) => <Call found={found} />}
        </Loaded>
      )}
    </section>
  )
}

/** Replaces the entry of the browser's history, so that Back leads to the list. */
function useKeys(paths: Readonly<Record<string, string | undefined>>): void {
  useEffect(() => {
    const handle = ({ key, target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent) => {
      const path = paths[key]
      const isOther = ctrlKey || metaKey || altKey || defaultPrevented || isTyping(target)
      if (path === undefined || isOther || document.querySelector('[role="dialog"], [role="menu"]')) return
      go(path, { replaces: key !== 'Escape' })
    }
    addEventListener('keydown', handle)
    return () => removeEventListener('keydown', handle)
  })
}

function Call({ found }: { readonly found: TransactionDetail }) {
  const { outcome, isSlow, httpStatus, durationMs, isCached, operator, remoteAddress, method, url, refusal, reason } =
    found
  const { decisions, timeline, transactionId } = found
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Group gap="sm">
          <OutcomeBadge outcome={outcome} isSlow={isSlow} />
          <Text className="numbers">HTTP {httpStatus}</Text>
          <Text className="numbers">{showDuration(durationMs)}</Text>
          <Text>{operator ?? remoteAddress}</Text>
          {isCached && <Badge color="cached">from the cache</Badge>}
        </Group>
        <Text size="sm" className="mono text">
          {method} {url}
        </Text>
      </Stack>
      {(refusal ?? reason) !== null && (
        <Alert
          color={outcome}
          title={refusal === null ? undefined : meaningOf(refusal)}
          styles={{ title: { color: 'var(--mantine-color-text)' } }}
        >
          <Text size="sm" className="text">
            {[refusal, reason].filter((each) => each !== null).join(': ')}
          </Text>
          <CallStack transactionId={transactionId} />
        </Alert>
      )}
      <Facts found={found} />
      {(decisions.length > 0 || timeline) && (
        <Stack component="section" gap="xs" aria-label="Steps">
          <Title order={2}>Steps</Title>
          <StepList decisions={decisions} timeline={timeline} />
          {timeline && timeline.waits.length >= maxWaits && (
            <Text size="sm" c="dimmed">
              Of what the handler waited for, the first {maxWaits} are kept.
            </Text>
          )}
        </Stack>
      )}
      <CallLogs transactionId={transactionId} />
      <Messages found={found} />
    </Stack>
  )
}

/** The monitor keeps as many of a call. */
const maxWaits = 100

function Facts({ found }: { readonly found: TransactionDetail }) {
  const { transactionId, time, operation, operator, claimed, node, revision, remoteAddress, instance } = found
  const page = (list: string, id: string | null) =>
    id === null ? (
      <Text span size="sm" c="dimmed">
        unknown
      </Text>
    ) : (
      <Link to={`/${list}/${encodeURIComponent(id)}`}>{id}</Link>
    )
  const rows: readonly (readonly [string, ReactNode])[] = [
    ['Ended', <Moment key="ended" time={time} />],
    [
      'Operation',
      <Fragment key="operation">
        {page('operations', operation)}{' '}
        {operation !== null && <FeatureLink to={pathOfFigures(operation)}>Figures</FeatureLink>}
      </Fragment>,
    ],
    ['Caller', page('callers', operator)],
    ...(claimed === null ? [] : [['Claimed name', claimed] as const]),
    [
      'Address',
      <span key="address" className="mono">
        {remoteAddress}
      </span>,
    ],
    ['Node', page('nodes', node)],
    ['Revision', revision === null ? 'files' : page('revisions', String(revision))],
    ['Instance', instance],
    [
      'Id',
      <span key="id" className="mono">
        {transactionId}
      </span>,
    ],
  ]
  return (
    <dl className="call-facts">
      {rows.map(([title, value]) => (
        <div key={title}>
          <Text component="dt" size="xs" c="dimmed">
            {title}
          </Text>
          <Text component="dd" size="sm">
            {value}
          </Text>
        </div>
      ))}
    </dl>
  )
}
