/** Shows an error of the API: title, details, and the request ID for the log. */
import { Alert, Button, List, Text } from '@mantine/core'
import { Problem } from '../api/client.ts'

interface Props {
  readonly problem: Error
  onRetry?(): void
}

/** Codes that report a policy or a setting, not a failure. */
const expected: readonly Problem['code'][] = ['roleMissing', 'metricsOff', 'monitorOff', 'logFilesOff']

export function ProblemAlert({ problem, onRetry }: Props) {
  const known = problem instanceof Problem ? problem : undefined
  if (known?.code === 'unauthenticated') return null // the sign-in dialog is open
  const isDenied = known !== undefined && expected.includes(known.code)
  const isInvalid = known?.code === 'invalid' && known.problems.length > 0
  const mayHelp = onRetry && !isDenied && known?.code !== 'notFound'
  return (
    <Alert
      color={isDenied ? 'gray' : 'red'}
      variant="light"
      title={isInvalid ? 'Fix the errors below' : (known?.title ?? 'Unexpected error in the console')}
      role={isDenied ? 'status' : 'alert'}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      {!isInvalid && <Text size="sm">{problem.message}</Text>}
      {known && known.problems.length > 0 && (
        <List size="sm" mt="xs">
          {known.problems.map(({ path, message }) => (
            <List.Item key={`${path} ${message}`}>
              <span className="mono">{path}</span> {message}
            </List.Item>
          ))}
        </List>
      )}
      {known?.code === 'unexpected' && known.requestId && (
        <Text size="xs" mt="xs">
          Request <span className="mono">{known.requestId}</span>
        </Text>
      )}
      {mayHelp && (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  )
}
