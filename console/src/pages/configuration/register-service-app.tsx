/** Registers an identity provider by its metadata URL, like the original's page (specification 18.26). */
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useRegisterServiceApp } from '../../api/items.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import { pathOf } from '../../lists.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { findError } from '../../parts/find-error.ts'
import { useToast } from '../../parts/toast.tsx'
import { go } from '../../router.tsx'

export function RegisterServiceApp({ onClose }: { onClose(): void }) {
  const [metadataUrl, setMetadataUrl] = useState('')
  const [name, setName] = useState('')
  const current = useCurrentDraft()
  const { mutateAsync, isPending, error } = useRegisterServiceApp()
  const [failure, setFailure] = useState<Error | null>(null)
  const toast = useToast()
  const register = async () => {
    try {
      const draft = await current.require()
      const item = await mutateAsync({ draft, metadataUrl, ...(name !== '' && { name }) })
      onClose()
      toast(`${item.id} saved to the draft.`)
      go(pathOf('oauth2ServiceApps', item.id), { isSaved: true })
    } catch (problem) {
      setFailure(problem as Error)
    }
  }
  return (
    <Dialog
      title="Register identity provider"
      isOpen
      action="Register"
      isPending={isPending}
      error={error ?? failure}
      onClose={onClose}
      onConfirm={() => void register()}
    >
      <TextInput
        label="Metadata URL"
        description="The gateway fetches issuer and endpoints from it."
        placeholder="https://id.example.com/.well-known/openid-configuration"
        value={metadataUrl}
        onChange={(event) => setMetadataUrl(event.currentTarget.value)}
        error={findError(error, 'metadataUrl')}
        required
        data-autofocus
      />
      <TextInput
        label="Name"
        description="Default: the name of its host."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={findError(error, 'name')}
      />
    </Dialog>
  )
}
