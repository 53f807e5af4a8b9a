/** Said above every page while gateway or database do not answer; asks again by itself, and reads everything anew then (specification 19.5). */
import { Alert, Group, Loader, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { api, connection, read } from '../api/client.ts'

/** Milliseconds. */
const askEvery = 3000

export function AwayBanner() {
  const away = useSyncExternalStore(connection.subscribe, connection.away)
  const client = useQueryClient()
  const isAway = away !== undefined
  useEffect(() => {
    if (!isAway) return
    const ask = async () => {
      try {
        const { storeAnswers } = await read(api.GET('/api/state'))
        if (!storeAnswers) return
        connection.back()
        await client.invalidateQueries()
      } catch {} // still away, and still told
    }
    const timer = setInterval(() => void ask(), askEvery)
    return () => clearInterval(timer)
  }, [isAway, client])
  if (!away) return null
  return (
    <Alert
      color="red"
      role="alert"
      mb="md"
      title={away.title}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Text size="sm">{away.message}</Text>
      <Group gap="xs" mt={4}>
        <Loader size={14} aria-hidden="true" />
        <Text size="sm">Asking again…</Text>
      </Group>
    </Alert>
  )
}
