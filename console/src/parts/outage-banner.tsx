/** A banner on every page during an outage of gateway or database; retries, then refetches everything (specification 19.4). */
import { Alert, Group, Loader, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { api, connection, read } from '../api/client.ts'

/** Milliseconds. */
const askEvery = 3000

export function OutageBanner() {
  const away = useSyncExternalStore(connection.subscribe, connection.away)
  const client = useQueryClient()
  const isOutage = away !== undefined
  useEffect(() => {
    if (!isOutage) return
    const ask = async () => {
      try {
        const { storeAnswers } = await read(api.GET('/api/state'))
        if (!storeAnswers) return
        connection.back()
        await client.invalidateQueries()
      } catch {} // the banner stays
    }
    const timer = setInterval(() => void ask(), askEvery)
    return () => clearInterval(timer)
  }, [isOutage, client])
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
        <Text size="sm">Retrying…</Text>
      </Group>
    </Alert>
  )
}
