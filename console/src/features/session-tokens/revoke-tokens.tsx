/** Revokes all session tokens of an operator, on its page. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ConfirmChange } from '../../parts/confirm.tsx'
import { useRevokeSessionTokens } from './api.ts'

export default function RevokeTokens({ id }: { readonly id: string }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const revoke = useRevokeSessionTokens()
  return (
    <>
      <Button variant="default" onClick={open}>
        Revoke session tokens
      </Button>
      {isOpen && (
        <ConfirmChange
          title={`Revoke the session tokens of ${id}?`}
          action="Revoke"
          isDangerous
          change={revoke}
          input={id}
          says={() => `Session tokens of ${id} revoked.`}
          onClose={close}
        >
          They are refused within a second. Unless it is locked, the caller can sign in again.
        </ConfirmChange>
      )}
    </>
  )
}
