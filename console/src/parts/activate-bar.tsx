/** Below what an activation would change: its note, what clients would lose, and the button (specification 19.9). */
import { Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Change } from '../api/drafts.ts'
import { BreakClients, breaksOf } from './break-clients.tsx'
import { ProblemAlert } from './problem-alert.tsx'

interface Props {
  /** The text of the button: `Activate` */
  readonly action: string
  readonly help: string
  readonly placeholder?: string
  readonly changes: readonly Change[]
  readonly isPending: boolean
  readonly error: Error | null
  onActivate(chosen: { readonly note: string; readonly force: boolean }): void
}

export function ActivateBar({ action, help, placeholder, changes, isPending, error, onActivate }: Props) {
  const [note, setNote] = useState('')
  const [force, setForce] = useState(false)
  const breaks = breaksOf(changes)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onActivate({ note, force })
  }
  return (
    <Paper
      component="form"
      onSubmit={submit}
      aria-label={action}
      withBorder
      p="sm"
      pos="sticky"
      bottom={8}
      style={{ zIndex: 5 }}
    >
      <Stack gap="xs">
        {error && <ProblemAlert problem={error} />}
        <BreakClients breaks={breaks} isAllowed={force} onAllow={setForce} />
        <Group gap="sm" align="flex-end">
          <TextInput
            label="Note: what changes, and why"
            placeholder={placeholder}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            style={{ flex: '1 1 240px' }}
          />
          <Button
            type="submit"
            color={breaks.length > 0 ? 'red' : undefined}
            disabled={changes.length === 0 || (breaks.length > 0 && !force)}
            loading={isPending}
          >
            {action}
          </Button>
        </Group>
        <Text size="xs" c="dimmed">
          {help}
        </Text>
      </Stack>
    </Paper>
  )
}
