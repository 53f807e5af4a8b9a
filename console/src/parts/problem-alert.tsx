/** What was refused, in the API's words: what it is, what to do, and under which id the log has it. */
import { Alert, Button, List, Text } from '@mantine/core'
import { Problem } from '../api/client.ts'

interface Props {
  readonly problem: Error
  onRetry?(): void
}

/** Nothing is broken: somebody has decided so. */
const chosen: readonly Problem['code'][] = ['roleMissing', 'metricsOff', 'monitorOff']

export function ProblemAlert({ problem, onRetry }: Props) {
  const told = problem instanceof Problem ? problem : undefined
  if (told?.code === 'unauthenticated') return null // signing in is asked for above the page
  const isDenied = told !== undefined && chosen.includes(told.code)
  const isInvalid = told?.code === 'invalid' && told.problems.length > 0
  const mayHelp = onRetry && !isDenied && told?.code !== 'notFound'
  return (
    <Alert
      color={isDenied ? 'gray' : 'red'}
      variant="light"
      title={isInvalid ? 'Something is not right yet' : (told?.title ?? 'The console has failed')}
      role={isDenied ? 'status' : 'alert'}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      {!isInvalid && <Text size="sm">{problem.message}</Text>}
      {told && told.problems.length > 0 && (
        <List size="sm" mt="xs">
          {told.problems.map(({ path, message }) => (
            <List.Item key={`${path} ${message}`}>
              <span className="mono">{path}</span> {message}
            </List.Item>
          ))}
        </List>
      )}
      {told?.code === 'unexpected' && told.requestId && (
        <Text size="xs" mt="xs">
          Request <span className="mono">{told.requestId}</span>
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
