/** Permission lists that an operator holds or not; a change takes effect within a second. */
import { Checkbox, Stack } from '@mantine/core'
import { useGrant } from '../api/operators.ts'
import { useMay } from '../api/session.ts'
import { ProblemAlert } from './problem-alert.tsx'
import { useToast } from './toast.tsx'

interface Props {
  readonly operator: { readonly id: string; readonly permissionLists: readonly string[] }
  readonly lists: readonly { readonly name: string; readonly description?: string | undefined }[]
}

export function GrantList({ operator: { id, permissionLists }, lists }: Props) {
  const { mutate, error } = useGrant()
  const mayGrant = useMay('operator')
  const toast = useToast()
  return (
    <Stack gap="xs">
      {error && <ProblemAlert problem={error} />}
      {lists.map(({ name, description }) => (
        <Checkbox
          key={name}
          label={name}
          description={description}
          checked={permissionLists.includes(name)}
          disabled={!mayGrant}
          onChange={({ currentTarget: { checked: isGranted } }) =>
            mutate(
              { id, permissionList: name, isGranted },
              { onSuccess: () => toast(`${name} ${isGranted ? 'granted to' : 'revoked from'} ${id}.`) },
            )
          }
        />
      ))}
    </Stack>
  )
}
