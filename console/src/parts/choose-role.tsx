/** A choice of roles with their rights. */
import { Radio, Stack } from '@mantine/core'
import type { Role } from '../api/session.ts'

const roles: readonly { readonly role: Role; readonly may: string }[] = [
  { role: 'viewer', may: 'Reads everything except messages of calls and the list of administrators' },
  {
    role: 'operator',
    may: 'Also reads messages of calls, locks and unlocks operators, grants and revokes permission lists, and deletes entries of the REST cache',
  },
  {
    role: 'administrator',
    may: 'Also changes the configuration, operators and their passwords, and administrators',
  },
]

interface Props {
  readonly value: Role
  readonly isReadOnly?: boolean
  /** The highest role offered. */
  readonly max?: Role
  onChange(role: Role): void
}

export function ChooseRole({ value, isReadOnly = false, max = 'administrator', onChange }: Props) {
  const offered = roles.slice(0, roles.findIndex(({ role }) => role === max) + 1)
  return (
    <Radio.Group label="Role" value={value} onChange={(next) => onChange(next as Role)} readOnly={isReadOnly}>
      <Stack gap="xs" mt={4}>
        {offered.map(({ role, may }) => (
          <Radio key={role} value={role} label={role} description={may} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
