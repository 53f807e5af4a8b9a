/**
 * Registers an identity provider by its metadata URL, like the original's page (specification 18.26). The document is
 * fetched before there is a draft: a failed fetch leaves nothing behind.
 */
import { useState } from 'react'
import { fields } from '../../api/fields.ts'
import { useFetchProviderMetadata, useSaveItem } from '../../api/items.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import { pathOf, type Value } from '../../lists.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { ActionFields } from '../../parts/fields.tsx'
import { useToast } from '../../parts/toast.tsx'
import { go } from '../../router.tsx'

const list = 'oauth2ServiceApps'
const shown = ['metadataUrl', 'audience', 'name'].flatMap((path) =>
  fields[list]
    .filter((field) => field.path === path)
    .map((field) => (path === 'name' ? { ...field, isRequired: false, help: 'Default: the name of its host' } : field)),
)

export function RegisterServiceApp({ onClose }: { onClose(): void }) {
  const [given, setGiven] = useState<Value>({})
  const current = useCurrentDraft()
  const fetched = useFetchProviderMetadata()
  const save = useSaveItem()
  const [failure, setFailure] = useState<Error | null>(null)
  const toast = useToast()
  const register = async () => {
    setFailure(null)
    try {
      const { jwksUri: _, ...metadata } = await fetched.mutateAsync(String(given.metadataUrl ?? ''))
      const audience = ((given.audience ?? []) as string[]).flatMap((line) => line.trim() || [])
      const value = {
        name: new URL(metadata.issuer).host,
        ...metadata,
        ...given,
        audience: audience.length > 0 ? audience : undefined,
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
      <ActionFields fields={shown} value={given} error={failure} onChange={setGiven} />
    </Dialog>
  )
}
