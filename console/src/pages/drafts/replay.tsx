/** Which calls of the last day the draft would refuse (specification 21.24). */
import { Alert, Badge, List, Skeleton, Text } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { useReplay } from '../../api/drafts.ts'
import { pathOf } from '../../lists.ts'
import { FeatureLink } from '../../parts/feature-link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { ProblemAlert } from '../../parts/problem-alert.tsx'
import { Link } from '../../router.tsx'
import { doubtful } from '../../theme.ts'

type ReplayedCalls = Schemas['Replay']

export function Replay({ id, version }: { readonly id: string; readonly version: number }) {
  const { data, error, refetch } = useReplay(id, version)
  if (error) return <ProblemAlert problem={error} onRetry={() => void refetch()} />
  if (!data)
    return (
      <div role="status" aria-label="Comparing the calls of the last day">
        <Skeleton height={36} />
      </div>
    )
  if (!data.isMonitored)
    return <Quiet>The monitor is off: there are no calls of the last day to compare with the draft.</Quiet>
  if (data.calls === 0) return <Quiet>The monitor keeps no call of the last day to compare with the draft.</Quiet>
  if (data.refused === 0)
    return (
      <Quiet>
        No call of the last day would be refused: {count(data.calls, 'call')} compared
        <Since found={data} />.
      </Quiet>
    )
  return <Refused found={data} />
}

const number = (value: number) => value.toLocaleString('en')
const count = (value: number, noun: string) => `${number(value)} ${noun}${value === 1 ? '' : 's'}`

function Quiet({ children }: { readonly children: React.ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}

function Since({ found: { isCut, from } }: { readonly found: ReplayedCalls }) {
  if (!isCut) return null
  return (
    <>
      , back to <Moment time={from} />
    </>
  )
}

function Refused({ found }: { readonly found: ReplayedCalls }) {
  const { refused, calls, callers, wouldBeRefused } = found
  return (
    <Alert
      color={doubtful}
      title={`${number(refused)} of ${count(calls, 'call')} of the last day, of ${count(callers, 'caller')}, would be refused`}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Text size="sm">
        URL, address, kind of credentials and permission were compared with the draft
        <Since found={found} />.
      </Text>
      <details>
        <summary>{count(wouldBeRefused.length, 'reason')}</summary>
        <List size="sm" spacing="xs" lh="24px" mt={4}>
          {wouldBeRefused.map(({ operation, refusal, reason, calls: ofReason, callers: ids, lastCall }) => (
            <List.Item key={`${operation} ${refusal}`}>
              <Link to={pathOf('operations', operation)} className="mono" c="var(--mantine-color-text)" td="underline">
                {operation}
              </Link>{' '}
              <Badge color={doubtful}>{refusal}</Badge> {count(ofReason, 'call')} of {ids.join(', ')}
              {ids.length === 20 && ' and others'}. {reason}{' '}
              <FeatureLink to={`/calls/${encodeURIComponent(lastCall)}`} c="var(--mantine-color-text)" td="underline">
                The newest call
              </FeatureLink>
            </List.Item>
          ))}
        </List>
      </details>
    </Alert>
  )
}
