/** The details of a transaction, and its messages as text if they are kept (specification 21.11). */
import { Badge, Code, Group, Stack, Table, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Problem } from '../../api/client.ts'
import { useMay } from '../../api/session.ts'
import { pathOfFigures } from '../../lists.ts'
import { FeatureLink } from '../../parts/feature-link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { StepList } from '../../parts/step-list.tsx'
import { meaningOf } from '../../refusals.ts'
import { Link } from '../../router.tsx'
import { type Message, type TransactionDetail, useMessages, useTransaction } from './api.ts'
import { StatusBadge, showDuration } from './show-transaction.tsx'
import { TryAgain } from './try-again.tsx'

export function TransactionDetails({ transactionId }: { readonly transactionId: string }) {
  const transaction = useTransaction(transactionId)
  if (transaction.error instanceof Problem && transaction.error.code === 'notFound')
    return (
      <Text>
        There is no transaction <span className="mono text">{transactionId}</span> in the monitor. It may be older than
        the transactions kept, have exceeded ig.monitor.perSecond, or belong to another gateway.
      </Text>
    )
  return (
    <Loaded query={transaction}>
      {(found) => (
        <Stack gap="lg">
          <Group gap="sm">
            <StatusBadge status={found.status} />
            <Text className="numbers">HTTP {found.httpStatus}</Text>
            <Text className="numbers">{showDuration(found.durationMs)}</Text>
            {found.isCached && <Badge color="served">from the cache</Badge>}
          </Group>
          {(found.refusal ?? found.reason) !== null && (
            <div>
              {found.refusal !== null && <Text fw={600}>{meaningOf(found.refusal)}</Text>}
              <Text size="sm" className="text">
                {[found.refusal, found.reason].filter((each) => each !== null).join(': ')}
              </Text>
            </div>
          )}
          <Facts found={found} />
          <TryAgain found={found} />
          {found.decisions.length > 0 && (
            <Stack component="section" gap="xs" aria-label="Steps">
              <Title order={2}>Steps</Title>
              <StepList decisions={found.decisions} />
            </Stack>
          )}
          <Logs transactionId={transactionId} hasFailed={found.status === 'Error'} />
          <Messages found={found} />
        </Stack>
      )}
    </Loaded>
  )
}

function Facts({ found }: { readonly found: TransactionDetail }) {
  const { transactionId, time, method, url, operation, operator, claimed, node, revision, remoteAddress, instance } =
    found
  const page = (list: string, id: string | null) =>
    id === null ? (
      <Text span size="sm" c="dimmed">
        unknown
      </Text>
    ) : (
      <Link to={`/${list}/${encodeURIComponent(id)}`} size="sm">
        {id}
      </Link>
    )
  const rows: readonly (readonly [string, ReactNode])[] = [
    ['Ended', showTime(time)],
    ['URL', <span key="url" className="mono text">{`${method} ${url}`}</span>],
    [
      'Operation',
      <Group key="operation" gap="md">
        {page('operations', operation)}
        {operation !== null && <FeatureLink to={pathOfFigures(operation)}>Figures</FeatureLink>}
      </Group>,
    ],
    ['Operator', page('operators', operator)],
    ...(claimed === null ? [] : [['Claimed name', claimed] as const]),
    ['Node', page('nodes', node)],
    ['Revision', revision === null ? 'files' : page('revisions', String(revision))],
    [
      'Caller',
      <span key="caller" className="mono">
        {remoteAddress}
      </span>,
    ],
    ['Instance', instance],
    [
      'Transaction',
      <span key="id" className="mono">
        {transactionId}
      </span>,
    ],
  ]
  return (
    <Table withRowBorders={false} verticalSpacing={4} layout="fixed">
      <Table.Tbody>
        {rows.map(([title, value]) => (
          <Table.Tr key={title}>
            <Table.Th scope="row" w={110} style={{ verticalAlign: 'top', fontWeight: 500 }}>
              {title}
            </Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Logs({ transactionId, hasFailed }: { readonly transactionId: string; readonly hasFailed: boolean }) {
  const query = `transaction=${encodeURIComponent(transactionId)}`
  return (
    <Group gap="md">
      {hasFailed && (
        <Link to={`/logs?log=error&${query}`} size="sm">
          Error log entry
        </Link>
      )}
      <Link to={`/logs?${query}`} size="sm">
        Message log entries
      </Link>
    </Group>
  )
}

function Messages({ found: { transactionId, hasMessages, operation } }: { readonly found: TransactionDetail }) {
  const messages = useMessages(transactionId, hasMessages)
  const mayRead = useMay('operator')
  if (!hasMessages) {
    return (
      <Text size="sm" c="dimmed">
        Headers and bodies are not kept{operation !== null && ": the operation's log detail is none"}.
      </Text>
    )
  }
  if (!mayRead) {
    return (
      <Text size="sm" c="dimmed">
        Your role cannot read headers and bodies. The roles operator and administrator can.
      </Text>
    )
  }
  return (
    <Loaded query={messages}>
      {({ request, response }) => (
        <>
          <MessageText title="Request" message={request} />
          <MessageText title="Response" message={response} />
        </>
      )}
    </Loaded>
  )
}

function MessageText({ title, message: { headers, body } }: { readonly title: string; readonly message: Message }) {
  return (
    <Stack component="section" gap="xs" aria-label={title}>
      <Title order={2}>{title}</Title>
      <Shown label={`${title} headers`}>
        {headers.map(({ name, value }) => `${name}: ${value}`).join('\n') || '(no headers)'}
      </Shown>
      {body === null ? (
        <Text size="sm" c="dimmed">
          The body is not kept: the operation's log detail is header.
        </Text>
      ) : (
        <Shown label={`${title} body`}>{body || '(no body)'}</Shown>
      )}
    </Stack>
  )
}

/** Always text, never markup. */
function Shown({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section aria-label={label} tabIndex={0} className="low">
      <Code block className="text">
        {children}
      </Code>
    </section>
  )
}
