/** Revokes all session tokens of an operator, on its page. */
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Dialog } from '../../parts/confirm.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useRevokeSessionTokens } from './api.ts'

export default function RevokeTokens({ id }: { readonly id: string }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        Revoke session tokens
      </Button>
      {isOpen && <Revoke id={id} onClose={close} />}
    </>
  )
}

function Revoke({ id, onClose }: { readonly id: string; onClose(): void }) {
  const { mutate, isPending, error } = useRevokeSessionTokens()
  const toast = useToast()
  const revoke = () =>
    mutate(id, {
      onSuccess() {
        onClose()
        toast(`Session tokens of ${id} revoked.`)
      },
    })
  return (
    <Dialog
      title={`Revoke the session tokens of ${id}?`}
      isOpen
      action="Revoke"
      isDangerous
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={revoke}
    >
      <Text size="sm">They are refused within a second. Unless it is locked, the operator can sign in again.</Text>
    </Dialog>
  )
}
