/** Why an operator may call an operation or not, with the permission lists that decide it. */
import { Alert, Group, Modal, Stack, Text } from '@mantine/core'
import type { PermissionMatrix } from '../../api/permission-matrix.ts'
import { pathOf } from '../../lists.ts'
import { FeatureLink } from '../../parts/feature-link.tsx'
import { GrantList } from '../../parts/grant-list.tsx'
import { Link } from '../../router.tsx'

interface Props {
  readonly operator: PermissionMatrix['operators']['items'][number]
  readonly operation: PermissionMatrix['operations']['items'][number]
  onClose(): void
}

export function Permission({ operator, operation, onClose }: Props) {
  const { id, isLocked, permissionLists } = operator
  const isPermitted = operation.permittedBy.some((name) => permissionLists.includes(name))
  return (
    <Modal
      opened
      onClose={onClose}
      title={`${id} ${isPermitted && !isLocked ? 'may' : 'may not'} call ${operation.id}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        {isLocked && (
          <Alert color="red" styles={{ message: { color: 'var(--mantine-color-text)' } }}>
            {id} is locked: all its calls are refused.
          </Alert>
        )}
        <Text size="sm">
          {operation.permittedBy.length === 0
            ? 'No permission list contains the operation.'
            : 'One of these permission lists is sufficient. Changes take effect within a second.'}
        </Text>
        <GrantList operator={operator} lists={operation.permittedBy.map((name) => ({ name }))} />
        <Group gap="md">
          <Link to={`/callers/${encodeURIComponent(id)}`}>Caller</Link>
          <Link to={pathOf('operations', operation.id)}>Operation</Link>
          <FeatureLink to={`/calls?operator=${encodeURIComponent(id)}&operation=${encodeURIComponent(operation.id)}`}>
            Its calls to this operation
          </FeatureLink>
        </Group>
      </Stack>
    </Modal>
  )
}
