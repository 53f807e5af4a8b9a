/** The last calls of Try it. Any part of one may be a secret, so none is stored: signing out and loading the page end them. */
import { Button, Group, Paper, Stack, Title, UnstyledButton } from '@mantine/core'
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Input } from '../../trial.ts'

const key = ['try-history']
const max = 10

export function useHistory() {
  const client = useQueryClient()
  const { data: calls = [] } = useQuery<readonly Input[]>({
    queryKey: key,
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return {
    calls,
    add(call: Input) {
      const others = calls.filter((each) => JSON.stringify(each) !== JSON.stringify(call))
      client.setQueryData(key, [call, ...others].slice(0, max))
    },
    clear: () => client.setQueryData(key, []),
  }
}

interface Props {
  readonly calls: readonly Input[]
  onChoose(call: Input): void
  onClear(): void
}

export function History({ calls, onChoose, onClear }: Props) {
  if (calls.length === 0) return null
  return (
    <Paper withBorder p="md" component="section" aria-label="History">
      <Group justify="space-between" mb="xs">
        <Title order={2}>History</Title>
        <Button size="xs" variant="default" onClick={onClear}>
          Clear history
        </Button>
      </Group>
      <Stack gap={4} align="flex-start">
        {calls.map((call) => (
          <UnstyledButton key={JSON.stringify(call)} className="link mono text" onClick={() => onChoose(call)}>
            {call.method} {call.path} {call.operator !== null && `as ${call.operator}`}
          </UnstyledButton>
        ))}
      </Stack>
    </Paper>
  )
}
