/** What is wrong now, since when, what it means and what to do; what was wrong before. Operators silence an alert. */
import { Anchor, Badge, Button, Group, Menu, Paper, Stack, Text, Title } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import type { Schemas } from '../../api/client.ts'
import { gatewayClock } from '../../api/clock.ts'
import { useMay } from '../../api/session.ts'
import type { Column } from '../../parts/column.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemAlert } from '../../parts/problem-alert.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { useToast } from '../../parts/toast.tsx'
import { Link } from '../../router.tsx'
import { doubtful, good } from '../../theme.ts'
import { AlertSubject } from './alert-subject.tsx'
import { useAlerts, useSilence } from './api.ts'

type ActiveAlert = Schemas['Alert']

export default function AlertsPage() {
  const active = useAlerts(false)
  const ended = useAlerts(true)
  return (
    <>
      <PageHead>
        <Link to="/settings?search=ig.alerts">Thresholds</Link>
      </PageHead>
      <Loaded query={active} empty="Nothing is wrong: no alert is active.">
        {({ items }) => (
          <Stack gap="md" role="list" aria-label="Active alerts">
            {items.map((alert) => (
              <AlertCard key={alert.id} alert={alert} />
            ))}
          </Stack>
        )}
      </Loaded>
      <Title order={2} mt="xl" mb="xs">
        History
      </Title>
      <Loaded query={ended} empty="No alert has ended yet.">
        {({ items }) => (
          <DataTable
            label="Ended alerts"
            isStacked
            columns={columns}
            rows={items}
            keyOf={({ id, began }) => `${id} ${began}`}
          />
        )}
      </Loaded>
    </>
  )
}

const colours = { critical: 'failed', warning: doubtful, info: good } as const

function AlertCard({ alert }: { readonly alert: ActiveAlert }) {
  const { name, title, severity, began, detail, means, action, silencedUntil, silencedBy } = alert
  return (
    <Paper withBorder p="md" role="listitem" aria-label={alert.id}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Group gap="xs">
          <Badge color={silencedUntil === null ? colours[severity] : good}>{severity}</Badge>
          <Title order={2}>{title}</Title>
        </Group>
        <SilenceButtons alert={alert} />
      </Group>
      <Text size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
        <AlertSubject alert={alert} />
        {`: ${detail}`}
      </Text>
      <Text size="sm" c="dimmed">
        Since <Moment time={began} />
        {silencedUntil !== null && (
          <>
            {' '}
            · silenced by {silencedBy} until <Moment time={silencedUntil} />
          </>
        )}
      </Text>
      <Text size="sm" mt="xs">
        {means}
      </Text>
      <Text size="sm">
        <b>What to do: </b>
        {action}{' '}
        <Anchor href={`/docs/how-to/alerts#${name.toLowerCase()}`} target="_blank" underline="always">
          More on {name}
        </Anchor>
      </Text>
    </Paper>
  )
}

const hour = 3_600_000
const usual = ['8 hours', 8 * hour] as const
const others = [
  ['1 hour', hour],
  ['1 day', 24 * hour],
  ['1 week', 7 * 24 * hour],
] as const

function SilenceButtons({ alert: { id, silencedUntil } }: { readonly alert: ActiveAlert }) {
  const mayChange = useMay('operator')
  const { mutate, isPending, error } = useSilence()
  const toast = useToast()
  if (!mayChange) return null
  const silence = (words: string, length: number) => {
    const until = new Date(gatewayClock.now() + length).toISOString()
    mutate({ id, until }, { onSuccess: () => toast(`${id} is silent for ${words}.`) })
  }
  const end = () => mutate({ id }, { onSuccess: () => toast(`${id} is reported again.`) })
  return (
    <Stack gap="xs">
      {error && <ProblemAlert problem={error} />}
      {silencedUntil === null ? (
        <Button.Group>
          <Button
            size="xs"
            variant="default"
            loading={isPending}
            aria-label={`Silence for ${usual[0]}: ${id}`}
            onClick={() => silence(...usual)}
          >
            Silence for {usual[0]}
          </Button>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button size="xs" variant="default" px={6} aria-label={`Silence for another time: ${id}`}>
                <ChevronDown size={16} aria-hidden />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {others.map(([words, length]) => (
                <Menu.Item key={words} onClick={() => silence(words, length)}>
                  for {words}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </Button.Group>
      ) : (
        <Button size="xs" variant="default" loading={isPending} aria-label={`End silence of ${id}`} onClick={end}>
          End silence
        </Button>
      )}
    </Stack>
  )
}

const columns: readonly Column<ActiveAlert>[] = [
  { title: 'Alert', value: ({ title }) => title },
  {
    title: 'Of',
    value: ({ operation, instance }) => operation ?? instance,
    show: (alert) => <AlertSubject alert={alert} />,
  },
  { title: 'Began', value: ({ began }) => began, show: ({ began }) => showTime(began) },
  { title: 'Ended', value: ({ ended }) => ended, show: ({ ended }) => ended !== null && showTime(ended) },
  { title: 'Detail', value: ({ detail }) => detail },
  {
    title: 'Silenced until',
    value: ({ silencedUntil }) => silencedUntil,
    show: (alert) =>
      alert.silencedUntil !== null && (
        <Group gap="xs">
          {showTime(alert.silencedUntil)}
          <SilenceButtons alert={alert} />
        </Group>
      ),
  },
]
