/** A new API token: what it may, until when; then it is shown, this once. */
import { Alert, Button, Code, Group, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useState } from 'react'
import { useCreateToken } from '../../api/administrators.ts'
import { type Role, useSession } from '../../api/session.ts'
import { ChooseRole } from '../../parts/choose-role.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { findFault } from '../../parts/find-fault.ts'

export function MakeToken({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [days, setDays] = useState<number | string>(90)
  const { data: session } = useSession()
  const { mutate, isPending, error, data } = useCreateToken()
  if (data) return <ShowToken name={data.name} token={data.token} onClose={onClose} />
  return (
    <Dialog
      title="Make an API token"
      isOpen
      action="Make"
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={() => mutate({ name, role, days: Number(days) })}
    >
      <TextInput
        label="Name"
        description="What uses it: the audit shows it with each change."
        placeholder="nightly"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={findFault(error, 'name')}
        autoComplete="off"
        required
        data-autofocus
      />
      <ChooseRole value={role} most={session?.role ?? 'viewer'} onChange={setRole} />
      <NumberInput
        label="Days until it expires"
        description="1 to 366"
        value={days}
        onChange={setDays}
        error={findFault(error, 'days')}
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
      title={`The token ${name}`}
    >
      <Stack>
        <Alert color="yellow" title="It is shown this once" styles={{ title: { color: 'var(--mantine-color-text)' } }}>
          Only its digest is kept. Put it where the script has it before you close this.
        </Alert>
        <Code block className="text" aria-label="Token">
          {token}
        </Code>
        {error && <Text size="sm">It could not be copied: select it, and copy it yourself.</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => copy(token)}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
          <Button onClick={onClose}>I have kept it</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
