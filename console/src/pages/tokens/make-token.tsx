/** Creates an API token with a role and an expiry, and shows it once. */
import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useState } from 'react'
import { useCreateToken } from '../../api/administrators.ts'
import type { Schemas } from '../../api/client.ts'
import { fields } from '../../api/fields.ts'
import { useSession } from '../../api/session.ts'
import type { Value } from '../../lists.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { ActionFields } from '../../parts/fields.tsx'

export function MakeToken({ onClose }: { onClose(): void }) {
  const [value, setValue] = useState<Value>({ role: 'viewer' })
  const { data: session } = useSession()
  const offered = fields.createToken.map(({ options, ...field }) =>
    options ? { ...field, options: options.slice(0, options.indexOf(session?.role ?? 'viewer') + 1) } : field,
  )
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
      onConfirm={() => mutate(value as Schemas['TokenRequestInput'])}
    >
      <ActionFields fields={offered} value={value} error={error} onChange={setValue} />
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
