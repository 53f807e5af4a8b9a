/** The latest entries of message log and error log, always shown as text. */
import { Badge, Code, Group, Paper, SegmentedControl, Select, Stack, Switch, Text } from '@mantine/core'
import type { Schemas } from '../api/client.ts'
import { type LogLevel, useLog } from '../api/running.ts'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { showTime } from '../parts/show-value.tsx'
import { TextFilter } from '../parts/text-filter.tsx'
import { Link, useParameter } from '../router.tsx'
import { doubtful } from '../theme.ts'

const levels: readonly LogLevel[] = ['exception', 'error', 'warning', 'information', 'debug']

export default function Logs() {
  const [log, setLog] = useParameter('log')
  const [level, setLevel] = useParameter('level')
  const [transaction] = useParameter('transaction')
  const [live, setLive] = useParameter('live')
  const known = levels.find((candidate) => candidate === level)
  const query = useLog(
    log === 'error' ? 'error' : 'message',
    { ...(known && { level: known }), ...(transaction !== '' && { transaction }) },
    live === 'yes',
  )
  return (
    <>
      <PageHead />
      <Stack>
        <Group gap="sm">
          <SegmentedControl
            aria-label="Log"
            data={[
              { value: 'message', label: 'Messages' },
              { value: 'error', label: 'Errors' },
            ]}
            value={log === 'error' ? 'error' : 'message'}
            onChange={(next) => setLog(next === 'error' ? 'error' : '')}
          />
          <Select
            aria-label="Minimum level"
            placeholder="Minimum level"
            data={[...levels]}
            value={known ?? null}
            onChange={(next) => setLevel(next ?? '')}
            clearable
            clearButtonProps={{ 'aria-label': 'Clear level' }}
            w={170}
          />
          <TextFilter name="transaction" label="Transaction id" />
          <Switch
            label="Follow"
            checked={live === 'yes'}
            onChange={(event) => setLive(event.currentTarget.checked ? 'yes' : '')}
          />
        </Group>
        {transaction !== '' && (
          <Link to={`/monitor/${encodeURIComponent(transaction)}`} size="sm">
            Show in the monitor
          </Link>
        )}
        <Loaded query={query} empty="No log entries.">
          {({ items }) => (
            <Stack gap="xs">
              {items.map((entry, at) => (
                <Entry key={`${entry.time} ${at}`} entry={entry} />
              ))}
            </Stack>
          )}
        </Loaded>
      </Stack>
    </>
  )
}

const colours: Readonly<Record<LogLevel, string>> = {
  exception: 'red.9',
  error: 'red.9',
  warning: doubtful,
  information: 'gray.7',
  debug: 'gray.7',
}

function Entry({ entry: { time, level, text, transactionId, details } }: { readonly entry: Schemas['LogEntry'] }) {
  const [, setTransaction] = useParameter('transaction')
  return (
    <Paper withBorder p="xs">
      <Group gap="xs" mb={4}>
        <Badge color={colours[level]}>{level}</Badge>
        <Text size="sm" c="dimmed">
          {showTime(time)}
        </Text>
        {transactionId !== null && (
          <button type="button" className="mono link" onClick={() => setTransaction(transactionId)}>
            {transactionId}
          </button>
        )}
      </Group>
      <Text size="sm" className="text">
        {text}
      </Text>
      {details.map(({ title, text: detail }, at) => (
        <details key={at}>
          <summary>{title}</summary>
          <Code block className="text">
            {detail}
          </Code>
        </details>
      ))}
    </Paper>
  )
}
