/** Why a form was not saved; short if the banner or the fields already show the reason. */
import { Text } from '@mantine/core'
import { isOutage, Problem } from '../api/client.ts'
import type { ListName } from '../field.ts'
import { nameField } from '../name-field.ts'
import { ProblemAlert } from './problem-alert.tsx'

interface Props {
  readonly error: Error
  /** That the item belongs to, whose form names its fields. */
  readonly list?: ListName
}

export function NotSaved({ error, list }: Props) {
  const isAtFields = error instanceof Problem && error.code === 'invalid' && error.problems.length > 0
  if (!isOutage(error) && !isAtFields) return <ProblemAlert problem={error} />
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {isAtFields
        ? `Not saved: ${error.problems.map(({ path, message }) => `${nameField(list, path)} ${message}`).join('; ')}`
        : 'Not saved yet. Your input is kept.'}
    </Text>
  )
}
