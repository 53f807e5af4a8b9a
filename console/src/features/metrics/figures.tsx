/** What both pages show of a time span: sums, charts, statuses, callers, refusals. */
import { Alert, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { History } from './api.ts'
import { Charts, showMilliseconds, showShare } from './charts.tsx'
import { Statuses, TopCallers } from './counts.tsx'
import { useBefore, useMarks } from './home/use-marks.ts'
import { Refusals } from './refusals.tsx'
import type { Range } from './use-range.ts'

interface Props {
  readonly found: History
  readonly range: Range
  /** The operation whose figures these are; undefined: those of all calls. */
  readonly operation?: string
  /** Shown if there are no calls. */
  readonly empty: ReactNode
  /** Shown below the charts. */
  readonly children?: ReactNode
  /** Opens the dialog. */
  onRollBack(to: number): void
}

export function FiguresOf({ found, range, operation, empty, children, onRollBack }: Props) {
  const isNow = !('to' in range.times)
  const before = useBefore(range, operation)
  const marks = useMarks()
  const linkTo = (filter: Readonly<Record<string, string>>) => {
    const isNamed = operation !== undefined && !operation.startsWith('(')
    return `/calls?${new URLSearchParams({ ...(isNamed && { operation }), ...range.times, ...filter })}`
  }
  return (
    <Stack gap="md">
      {found.isPartial && (
        <Alert color="yellow" role="status" title="Only this instance" styles={titleStyle}>
          The database is not responding. The gateway still answers calls, but calls of other instances are not counted
          until the database is back.
        </Alert>
      )}
      {found.total.calls === 0 ? (
        empty
      ) : (
        <>
          <Sums found={found} />
          <Charts
            found={found}
            isNow={isNow}
            before={before.data}
            beforeLabel={isNow ? 'yesterday' : 'the day before'}
            marks={marks}
            onRollBack={onRollBack}
          />
          {children}
          <div className="tables">
            <Statuses found={found} linkTo={linkTo} />
            <Refusals found={found} linkTo={linkTo} />
            <TopCallers found={found} linkTo={linkTo} />
          </div>
        </>
      )}
    </Stack>
  )
}

const titleStyle = { title: { color: 'var(--mantine-color-text)' } }

function Sums({ found: { total } }: { readonly found: History }) {
  const { calls, refused, slow, failureRate, mean, p95, longest, cacheHitRate } = total
  const known = (value: number | null, show = showMilliseconds) => (value === null ? '–' : show(value))
  const sums = [
    [calls.toLocaleString('en'), calls === 1 ? 'call' : 'calls'],
    [refused.toLocaleString('en'), 'refused'],
    [known(failureRate, showShare), 'failed'],
    [slow.toLocaleString('en'), 'slow'],
    ...(cacheHitRate === null ? [] : [[showShare(cacheHitRate), 'cache hit rate']]),
    [known(mean), 'mean'],
    [known(p95), 'p95'],
    [known(longest), 'longest'],
  ]
  return (
    <div className="figures">
      {sums.map(([value, label]) => (
        <Text key={label} size="sm" c="dimmed">
          <span className="figure">{value}</span> {label}
        </Text>
      ))}
    </div>
  )
}
