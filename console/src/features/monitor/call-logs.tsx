/** The entries of both logs about a call, the newest last, and the stack of its error. */
import { Code, Group, Stack, Table, Text, Title } from '@mantine/core'
import { Problem } from '../../api/client.ts'
import { type LogEntry, useLog } from '../../api/running.ts'
import { LevelBadge } from '../../parts/level-badge.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Link } from '../../router.tsx'

interface Props {
  readonly transactionId: string
}

interface CallEntry extends LogEntry {
  readonly log: 'message' | 'error'
}

function useEntries(transaction: string) {
  const logs = [useLog('message', { transaction }, false), useLog('error', { transaction }, false)] as const
  const [messages, errors] = logs
  const of = (log: CallEntry['log'], { data }: typeof messages) => data?.items.map((each) => ({ ...each, log })) ?? []
  const data: readonly CallEntry[] | undefined =
    messages.data && errors.data
      ? [...of('message', messages), ...of('error', errors)].sort((one, other) => (one.time < other.time ? -1 : 1))
      : undefined
  const error = messages.error ?? errors.error
  return { data, error, refetch: () => Promise.all(logs.map(({ refetch }) => refetch())) }
}

export function CallLogs({ transactionId }: Props) {
  const entries = useEntries(transactionId)
  const isOff = entries.error instanceof Problem && entries.error.code === 'logFilesOff'
  const query = `transaction=${encodeURIComponent(transactionId)}`
  return (
    <Stack component="section" gap="xs" aria-label="Log entries">
      <Group gap="md" align="baseline">
        <Title order={2}>Log entries</Title>
        <Link to={`/logs?${query}`}>Message log</Link>
        <Link to={`/logs?log=error&${query}`}>Error log</Link>
      </Group>
      {isOff ? (
        <Text size="sm" c="dimmed">
          There are no log files here: ig.log.files is false.
        </Text>
      ) : (
        <Loaded query={entries}>
          {(all) =>
            all.length === 0 ? (
              <Text size="sm" c="dimmed">
                The ends of the logs have no entry of this call.
              </Text>
            ) : (
              <Table className="stacked" aria-label="Log entries">
                <Table.Tbody>
                  {all.map((entry) => (
                    <Entry key={`${entry.log} ${entry.time}`} entry={entry} />
                  ))}
                </Table.Tbody>
              </Table>
            )
          }
        </Loaded>
      )}
    </Stack>
  )
}

function Entry({ entry: { time, level, log, text, details } }: { readonly entry: CallEntry }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Moment time={time} hasMilliseconds isAbsolute isShort />
      </Table.Td>
      <Table.Td>
        <LevelBadge level={level} />
      </Table.Td>
      <Table.Td>{log} log</Table.Td>
      <Table.Td>
        <span className="text">{text}</span>
        {details.map(({ title, text: detail }) => (
          <details key={title}>
            <summary>{title}</summary>
            <Code block className="text">
              {detail}
            </Code>
          </details>
        ))}
      </Table.Td>
    </Table.Tr>
  )
}

/** Where an error was thrown, and its stack, if a log has it. */
export function CallStack({ transactionId }: Props) {
  const { data } = useEntries(transactionId)
  const stack = data?.flatMap(({ details }) => details.filter(({ title }) => title === 'Stack')).at(0)?.text
  if (stack === undefined) return null
  const line = findLine(stack)
  return (
    <>
      {line !== undefined && (
        <Text size="sm" className="mono">
          {line}
        </Text>
      )}
      <details>
        <summary>Stack</summary>
        <Code block className="text">
          {stack}
        </Code>
      </details>
    </>
  )
}

/** The innermost line outside Node.js and packages. */
function findLine(stack: string): string | undefined {
  const lines = [...stack.matchAll(/^ +at (?:.*\()?(?:file:\/\/)?(\/[^()]+:\d+:\d+)\)?$/gm)].map(([, line]) => line)
  return lines.find((line) => !line?.includes('/node_modules/')) ?? lines[0]
}
