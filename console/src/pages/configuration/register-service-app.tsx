/** An identity provider by its metadata URL alone, as on the original's page of the same purpose (specification 18.26). */
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useRegisterServiceApp } from '../../api/items.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import { pathOf } from '../../lists.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { findFault } from '../../parts/find-fault.ts'
import { useSay } from '../../parts/say.tsx'
import { go } from '../../router.tsx'

export function RegisterServiceApp({ onClose }: { onClose(): void }) {
  const [metadataUrl, setMetadataUrl] = useState('')
  const [name, setName] = useState('')
  const current = useCurrentDraft()
  const { mutateAsync, isPending, error } = useRegisterServiceApp()
  const [failure, setFailure] = useState<Error | null>(null)
  const say = useSay()
  const register = async () => {
    try {
      const draft = await current.require()
      const item = await mutateAsync({ draft, metadataUrl, ...(name !== '' && { name }) })
      onClose()
      say(`${item.id} is in the draft.`)
      go(pathOf('oauth2ServiceApps', item.id), { isSaved: true })
    } catch (problem) {
      setFailure(problem as Error)
    }
  }
  return (
    <Dialog
      title="Register an identity provider"
      isOpen
      action="Register"
      isPending={isPending}
      error={error ?? failure}
      onClose={onClose}
      onConfirm={() => void register()}
    >
      <TextInput
        label="Metadata URL"
        description="Issuer and endpoints are fetched from it."
        placeholder="https://id.example.com/.well-known/openid-configuration"
        value={metadataUrl}
        onChange={(event) => setMetadataUrl(event.currentTarget.value)}
        error={findFault(error, 'metadataUrl')}
        required
        data-autofocus
      />
      <TextInput
        label="Name"
        description="Left empty, it is called as its host."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={findFault(error, 'name')}
      />
    </Dialog>
  )
}
