/** Recovery codes, shown once (specification 34.23). */
import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'

export function ShowCodes({ codes, onClose }: { readonly codes: readonly string[]; onClose(): void }) {
  const { copy, copied, error } = useClipboard({ timeout: 4000 })
  const text = codes.join('\n')
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title="Recovery codes"
    >
      <Stack>
        <Alert color="yellow" title="Store the codes now" styles={{ title: { color: 'var(--mantine-color-text)' } }}>
          They are shown only once. If you lose your second factor, each of them lets you sign in once, with your
          password.
        </Alert>
        <Code block className="text" aria-label="Recovery codes">
          {text}
        </Code>
        {error && <Text size="sm">The browser could not copy the codes. Select and copy them manually.</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => copy(text)}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
