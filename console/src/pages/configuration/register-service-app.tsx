/**
 * Registers an identity provider by its metadata URL, like the original's page (specification 18.26). The document is
 * fetched before there is a draft: a failed fetch leaves nothing behind.
 */
import { Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { fields } from '../../api/fields.ts'
import { useFetchProviderMetadata, useSaveItem } from '../../api/items.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import { pathOf } from '../../lists.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { findError } from '../../parts/find-error.ts'
import { useToast } from '../../parts/toast.tsx'
import { go } from '../../router.tsx'

const list = 'oauth2ServiceApps'
const audienceField = fields[list].find(({ path }) => path === 'audience')

export function RegisterServiceApp({ onClose }: { onClose(): void }) {
  const [metadataUrl, setMetadataUrl] = useState('')
  const [name, setName] = useState('')
  const [audience, setAudience] = useState('')
  const current = useCurrentDraft()
  const fetched = useFetchProviderMetadata()
  const save = useSaveItem()
  const [failure, setFailure] = useState<Error | null>(null)
  const toast = useToast()
  const register = async () => {
    setFailure(null)
    try {
      const { jwksUri: _, ...metadata } = await fetched.mutateAsync(metadataUrl)
      const lines = audience.split('\n').flatMap((line) => line.trim() || [])
      const value = {
        name: name || new URL(metadata.issuer).host,
        metadataUrl,
        ...metadata,
        ...(lines.length > 0 && { audience: lines }),
      }
      const item = await save.mutateAsync({ list, draft: await current.require(), seen: undefined, value })
      onClose()
      toast(`${item.id} saved to the draft.`)
      go(pathOf(list, item.id), { isSaved: true })
    } catch (problem) {
      setFailure(problem as Error)
    }
  }
  return (
    <Dialog
      title="Register identity provider"
      isOpen
      action="Register"
      isPending={fetched.isPending || save.isPending}
      error={failure}
      onClose={onClose}
      onConfirm={() => void register()}
    >
      <TextInput
        label="Metadata URL"
        description="The gateway fetches issuer and endpoints from it."
        placeholder="https://id.example.com/.well-known/openid-configuration"
        value={metadataUrl}
        onChange={(event) => setMetadataUrl(event.currentTarget.value)}
        error={findError(failure, 'metadataUrl')}
        required
        data-autofocus
      />
      <Textarea
        label="Audience"
        description={audience === '' ? audienceField?.missing : audienceField?.help}
        placeholder="https://api.example.com"
        value={audience}
        onChange={(event) => setAudience(event.currentTarget.value)}
        error={findError(failure, 'audience')}
        rows={1}
      />
      <TextInput
        label="Name"
        description="Default: the name of its host."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={findError(failure, 'name')}
      />
    </Dialog>
  )
}
