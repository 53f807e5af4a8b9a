/** Creates an API token with a role and an expiry, and shows it once. */
import { Alert, Button, Code, Group, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useState } from 'react'
import { useCreateToken } from '../../api/administrators.ts'
import { type Role, useSession } from '../../api/session.ts'
import { ChooseRole } from '../../parts/choose-role.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { findError } from '../../parts/find-error.ts'

export function MakeToken({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [days, setDays] = useState<number | string>(90)
  const { data: session } = useSession()
  const { mutate, isPending, error, data } = useCreateToken()
  if (data) return <ShowToken name={data.name} token={data.token} onClose={onClose} />
  return (
    <Dialog
      title="Create API token"
      isOpen
      action="Create"
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={() => mutate({ name, role, days: Number(days) })}
    >
      <TextInput
        label="Name"
        description="What the token is for. The audit log shows it with each change."
        placeholder="nightly"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={findError(error, 'name')}
        autoComplete="off"
        required
        data-autofocus
      />
      <ChooseRole value={role} max={session?.role ?? 'viewer'} onChange={setRole} />
      <NumberInput
        label="Days until it expires"
        description="1 to 366"
        value={days}
        onChange={setDays}
        error={findError(error, 'days')}
        required
      />
    </Dialog>
  )
}

function ShowToken({ name, token, onClose }: { readonly name: string; readonly token: string; onClose(): void }) {
  const { copy, copied, error } = useClipboard({ timeout: 4000 })
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={`API token ${name}`}
    >
      <Stack>
        <Alert color="yellow" title="Copy the token now" styles={{ title: { color: 'var(--mantine-color-text)' } }}>
          It is shown only once, because the gateway stores only its digest.
        </Alert>
        <Code block className="text" aria-label="Token">
          {token}
        </Code>
        {error && <Text size="sm">The browser could not copy the token. Select and copy it manually.</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => copy(token)}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
