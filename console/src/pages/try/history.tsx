/** The last calls of Try it, kept by the browser: no header, no body and no query, which may hold secrets. */
import { Button, Group, Paper, Stack, Title, UnstyledButton } from '@mantine/core'
import { keep, parseKept, useKept } from '../../parts/kept.ts'
import type { Trial } from './trial.ts'

interface Past extends Pick<Trial, 'method' | 'path'> {
  readonly operator: string | null
}

const key = 'try:history'
const most = 10

function isHistory(value: unknown): value is readonly Past[] {
  return (
    Array.isArray(value) &&
    value.every(({ method, path } = {}) => typeof method === 'string' && typeof path === 'string')
  )
}

export function addToHistory({
  method,
  path,
  operator,
}: Omit<Past, 'operator'> & { readonly operator?: string | null }): void {
  const past: Past = { method, path: path.replace(/\?.*/s, ''), operator: operator ?? null }
  const kept = parseKept(localStorage.getItem(key) ?? '', isHistory) ?? []
  const others = kept.filter((each) => JSON.stringify(each) !== JSON.stringify(past))
  keep(key, JSON.stringify([past, ...others].slice(0, most)))
}

export function History({ onChoose }: { onChoose(past: Past): void }) {
  const kept = parseKept(useKept(key), isHistory) ?? []
  if (kept.length === 0) return null
  return (
    <Paper withBorder p="md" component="section" aria-label="History">
      <Group justify="space-between" mb="xs">
        <Title order={2}>History</Title>
        <Button size="xs" variant="default" onClick={() => keep(key, '')}>
          Clear history
        </Button>
      </Group>
      <Stack gap={4} align="flex-start">
        {kept.map((past) => (
          <UnstyledButton key={JSON.stringify(past)} className="link mono text" onClick={() => onChoose(past)}>
            {past.method} {past.path} {past.operator !== null && `as ${past.operator}`}
          </UnstyledButton>
        ))}
      </Stack>
    </Paper>
  )
}
