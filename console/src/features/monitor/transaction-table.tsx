/** The table of calls. */
import { Text } from '@mantine/core'
import { Fragment } from 'react'
import type { Column } from '../../parts/column.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { showDuration } from '../../parts/show-value.tsx'
import { Link } from '../../router.tsx'
import { fileOf, type Transaction, type TransactionFilter } from './api.ts'
import { OutcomeBadge } from './show-transaction.tsx'

interface Props {
  readonly filter: TransactionFilter
  readonly items: readonly Transaction[]
  /** The filters, for the links. */
  readonly search: string
}

export function TransactionTable({ filter, items, search }: Props) {
  const linkOf = ({ transactionId }: Pick<Transaction, 'transactionId'>) =>
    `/calls/${encodeURIComponent(transactionId)}${search}`
  const columns: readonly Column<Transaction>[] = [
    {
      title: 'Time',
      value: ({ time }) => time,
      show: ({ time, transactionId }) => (
        <Link to={linkOf({ transactionId })} size="sm" className="numbers">
          <Moment time={time} hasMilliseconds isAbsolute isShort />
        </Link>
      ),
    },
    ...fixed,
  ]
  return (
    <DataTable
      label="Calls"
      columns={columns}
      rows={items}
      isPart
      fileOf={(format) => fileOf(filter, format)}
      keyOf={({ transactionId }) => transactionId}
      linkOf={linkOf}
    />
  )
}

/** Breaks long lines after the parts of a name, and before its capital letters. */
function Breakable({ id }: { readonly id: string }) {
  return id.split(/(?<=[_.])|(?<=[a-z])(?=[A-Z])/).map((part, at) => (
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ))
}

/** `/ECHO.v1/hello`: what is before it is the same for all calls. */
const fromOperation = (url: string) => url.slice(Math.max(0, url.search(/\/[^/?]+\.v\d/)))

/** Characters at the end of a URL that stay visible when its beginning is cut. */
const shownEnd = 24

const fixed: readonly Column<Transaction>[] = [
  {
    title: 'Outcome',
    value: ({ outcome }) => outcome,
    show: ({ outcome, isSlow }) => <OutcomeBadge outcome={outcome} isSlow={isSlow} />,
  },
  { title: 'HTTP', isNumber: true, isOnlyWide: true, value: ({ httpStatus }) => httpStatus },
  {
    title: 'Operation',
    value: ({ operation }) => operation,
    show: ({ operation, method, url, httpStatus, refusal, operator }) => (
      <>
        <Text size="sm" className="mono-breaks">
          {operation === null ? (
            <Text span c="dimmed">
              none
            </Text>
          ) : (
            <Breakable id={operation} />
          )}
        </Text>
        <Text size="xs" c="dimmed" className="mono only-wide ended-line" title={`${method} ${url}`}>
          <span>
            {method} {fromOperation(url).slice(0, -shownEnd)}
          </span>
          <span>{fromOperation(url).slice(-shownEnd)}</span>
        </Text>
        <Text size="xs" c="dimmed" className="only-narrow">
          {[httpStatus, operator, refusal].filter(Boolean).join(', ')}
        </Text>
      </>
    ),
  },
  {
    title: 'Caller',
    isOnlyWide: true,
    value: ({ operator }) => operator,
    show: ({ operator }) =>
      operator ?? (
        <Text span size="sm" c="dimmed">
          none
        </Text>
      ),
  },
  { title: 'Claimed name', isOnlyWide: true, isExtra: true, value: ({ claimed }) => claimed },
  {
    title: 'Duration',
    isNumber: true,
    value: ({ durationMs }) => durationMs,
    show: ({ durationMs }) => showDuration(durationMs),
  },
  {
    title: 'Refusal',
    isOnlyWide: true,
    value: ({ refusal }) => refusal,
    show: (transaction) => (
      <>
        {transaction.refusal !== null && <Breakable id={transaction.refusal} />}{' '}
        <Text span size="sm" c="dimmed">
          {noteOf(transaction)}
        </Text>
      </>
    ),
  },
]

/** The API marks a trial by its reason (specification 41.5). */
function noteOf({ isCached, reason }: Transaction): string | undefined {
  if (reason?.startsWith('trial of ')) return 'trial'
  return isCached ? 'from the cache' : undefined
}
