/** Home begins with it: what is wrong and since when, with the way back, or that everything is served. */
import { Badge, Button, Group, Paper, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { connection } from '../../../api/client.ts'
import { useActivations } from '../../../api/drafts.ts'
import { useMay } from '../../../api/session.ts'
import { useGatewayState } from '../../../api/state.ts'
import { pathOfFigures } from '../../../lists.ts'
import { useNow, useZone, writeTime } from '../../../parts/moment.tsx'
import { Link } from '../../../router.tsx'
import { type History, useAlerts } from '../api.ts'
import type { Activation } from './find-begin.ts'
import { useBegin } from './use-begin.ts'
import { findWorst, writeSentence } from './write-sentence.ts'

/** Operations and instances that are named. */
const maxNamed = 3

/** @param recent of the last five minutes */
export function StateSentence({ recent, onRollBack }: { readonly recent: History; onRollBack(to: number): void }) {
  const away = useSyncExternalStore(connection.subscribe, connection.away)
  const alerts = useAlerts(false).data?.items ?? []
  const activations = useActivations().data?.items ?? []
  const { total, operations: called, isPartial } = recent
  const worst = findWorst({ called, alerts })
  const sentence = writeSentence({
    isStoreAway: away?.code === 'storeAway' || isPartial,
    operations: useGatewayState().data?.operations ?? 0,
    begin: useBegin(worst?.operation, worst?.since),
    ...{ total, called, alerts, activations },
  })
  const { tone, words, since, cause, end, rollBackTo, operations = [], instance, detail, silencedUntil } = sentence
  const mayRollBack = useMay('administrator')
  const active = alerts.filter(({ silencedUntil }) => silencedUntil === null).length
  const named = operations.slice(0, maxNamed)
  return (
    <Paper withBorder px="md" py="sm" component="section" aria-label="State" className={`state state-${tone}`}>
      <Group justify="space-between" gap="xs" align="center">
        <Group gap="sm">
          <Text component="p" m={0} className="state-sentence" role="status">
            {words}
            {since !== undefined && (end ? ' from ' : ' since ')}
            {cause ? <Of activation={cause} /> : since !== undefined && <Clock time={since} />}
            {end && (
              <>
                {' '}
                until <Of activation={end} />
              </>
            )}
            {tone === 'served' && silencedUntil === undefined && '.'}
          </Text>
          {silencedUntil !== undefined && (
            <Badge>
              silenced until <Clock time={silencedUntil} />
            </Badge>
          )}
          {mayRollBack && rollBackTo !== undefined && (
            <Button size="compact-sm" variant="default" onClick={() => onRollBack(rollBackTo)}>
              Roll back to {rollBackTo}
            </Button>
          )}
        </Group>
        {active > 0 && (
          <Link to="/alerts" underline="always" lh="24px">
            {active === 1 ? '1 alert now' : `${active} alerts now`}
          </Link>
        )}
      </Group>
      {(detail !== undefined || named.length > 0 || instance !== undefined) && (
        <Text size="sm" c="dimmed">
          {named.map((operation, at) => (
            <span key={operation}>
              {at > 0 && ', '}
              <Link to={pathOfFigures(operation)} underline="always" className="mono">
                {operation}
              </Link>
            </span>
          ))}
          {operations.length > named.length && ` and ${operations.length - named.length} more`}
          {instance !== undefined && <span className="mono">{instance}</span>}
          {(named.length > 0 || instance !== undefined) && detail !== undefined && ': '}
          {detail}
        </Text>
      )}
    </Paper>
  )
}

/** `revision 3, 04:06` */
function Of({ activation: { revision, time } }: { readonly activation: Activation }) {
  return (
    <>
      <Link to={`/revisions/${revision}`} inherit underline="always">
        revision {revision}
      </Link>
      , <Clock time={time} />
    </>
  )
}

/** `04:06`, with the date unless it is of today. */
function Clock({ time }: { readonly time: string }) {
  const zone = useZone()
  const now = useNow()
  const text = writeTime(new Date(time), zone)
  const isToday = text.slice(0, 10) === writeTime(new Date(now), zone).slice(0, 10)
  return (
    <time dateTime={time} title={text} className="numbers">
      {isToday ? text.slice(11, 16) : text.slice(0, 16)}
    </time>
  )
}
