/** Shows a query as loading, failed, empty or loaded, the same way on all pages. */
import { Skeleton, Stack } from '@mantine/core'
import { type ReactNode, useDeferredValue } from 'react'
import { isOutage } from '../api/client.ts'
import { Empty } from './empty.tsx'
import { ProblemAlert } from './problem-alert.tsx'

interface Props<Data> {
  readonly query: {
    readonly data: Data | undefined
    readonly error: Error | null
    refetch(): Promise<unknown>
  }
  /** The message for an empty list, or what leads on from there. */
  readonly empty?: ReactNode
  /** Shown while loading: has the height of what replaces it, if that is known. */
  readonly skeleton?: ReactNode
  readonly children: (data: Data) => ReactNode
}

export function Loaded<Data>({ query: { data, error, refetch }, empty, skeleton, children }: Props<Data>) {
  const isShown = useDeferredValue(data !== undefined) // renders what comes in slices, so that input never waits for it
  const alert = error && <ProblemAlert problem={error} onRetry={() => void refetch()} />
  if (data === undefined || !isShown) {
    return (
      alert ??
      skeleton ?? (
        <Stack gap={4} role="status" aria-label="Loading">
          {[60, 100, 100, 100, 80].map((width, line) => (
            <Skeleton key={line} height={32} width={`${width}%`} />
          ))}
        </Stack>
      )
    )
  }
  return (
    <Stack gap="md">
      {!isOutage(error) && alert /* keeps the old data; the banner reports an outage */}
      {empty !== undefined && isEmpty(data) ? (
        typeof empty === 'string' ? (
          <Empty message={empty} />
        ) : (
          empty
        )
      ) : (
        children(data)
      )}
    </Stack>
  )
}

function isEmpty(data: unknown): boolean {
  const items = typeof data === 'object' && data !== null && 'items' in data ? data.items : data
  return Array.isArray(items) && items.length === 0
}
