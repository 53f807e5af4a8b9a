/** Why a form was not saved; what is told above the page already, or at its fields, is not told again. */
import { Text } from '@mantine/core'
import { isAway, Problem } from '../api/client.ts'
import { ProblemAlert } from './problem-alert.tsx'

export function NotSaved({ error }: { readonly error: Error }) {
  const isAtFields = error instanceof Problem && error.code === 'invalid' && error.problems.length > 0
  if (!isAway(error) && !isAtFields) return <ProblemAlert problem={error} />
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {isAtFields
        ? `Not saved: ${error.problems.map(({ path, message }) => `${path} ${message}`).join('; ')}`
        : 'Not saved yet. What you entered stays here.'}
    </Text>
  )
}
