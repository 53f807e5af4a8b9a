/** Deletes an operator, and says first what is lost with it (specification 18.19). */
import { List, Text } from '@mantine/core'
import { type Operator, useDeleteOperator } from '../../api/operators.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { useToast } from '../../parts/toast.tsx'
import { UsedBy } from '../../parts/used-by.tsx'
import { go } from '../../router.tsx'

interface Props {
  readonly operator: Operator
  onClose(): void
}

export function DeleteOperator({ operator, onClose }: Props) {
  const { id, hasPassword, emails, certificates, permissionLists } = operator
  const { mutate, isPending, error } = useDeleteOperator()
  const toast = useToast()
  const remove = () =>
    mutate(id, {
      onSuccess() {
        toast(`${id} deleted.`)
        go('/callers', { isSaved: true, replaces: true })
      },
    })
  const lost = [
    ...(hasPassword ? ['its password'] : []),
    ...(emails.length > 0 ? [`its addresses: ${emails.map(({ address }) => address).join(', ')}`] : []),
    ...(certificates.length > 0 ? [`its client certificates: ${certificates.join('; ')}`] : []),
    ...(permissionLists.length > 0 ? [`its permission lists: ${permissionLists.join(', ')}`] : []),
    'its session tokens, which stay invalid if the id is added again',
  ]
  return (
    <Dialog
      title={`Delete ${id}?`}
      isOpen
      action="Delete"
      isDangerous
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={remove}
    >
      <Text size="sm">
        All calls by {id} are refused within a second. You cannot undo this; locking refuses the calls, too, and can be
        undone. This is lost:
      </Text>
      <List size="sm" style={{ overflowWrap: 'anywhere' }}>
        {lost.map((each) => (
          <List.Item key={each}>{each}</List.Item>
        ))}
      </List>
      <Text size="sm">The audit, the logs and the recorded calls keep its id.</Text>
      <UsedBy list="operators" id={id} />
    </Dialog>
  )
}
