/** Below the navigation: the zone of all times, and how far the clocks of browser and gateway are apart. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { Clock, Keyboard } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { gatewayClock } from '../api/clock.ts'
import { nameZone, useNow } from './moment.tsx'
import { useZoneChoice } from './zone-choice.ts'

export function NavigationFoot({ onHelp }: { onHelp(): void }) {
  const { zone, other, toggle } = useZoneChoice()
  const now = useNow()
  return (
    <Stack gap={2}>
      <ClocksApart />
      <Group gap={0}>
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          c="dimmed"
          leftSection={<Clock size={13} aria-hidden />}
          title={`Show times in ${other}`}
          onClick={toggle}
          styles={{ label: { whiteSpace: 'normal' } }}
          h="auto"
        >
          {nameZone(new Date(now), zone)}
        </Button>
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          c="dimmed"
          visibleFrom="sm"
          leftSection={<Keyboard size={13} aria-hidden />}
          onClick={onHelp}
        >
          Keyboard
        </Button>
      </Group>
    </Stack>
  )
}

function ClocksApart() {
  const ahead = useSyncExternalStore(gatewayClock.subscribe, gatewayClock.ahead)
  if (ahead === 0) return null
  return (
    <Text size="xs" c="var(--mantine-color-error)" px={8} role="status">
      The gateway's clock is {showDistance(Math.abs(ahead))} {ahead > 0 ? 'ahead of' : 'behind'} this computer's.
      Relative times follow the gateway's.
    </Text>
  )
}

function showDistance(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
