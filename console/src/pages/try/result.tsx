/** What a call of Try it was answered, and the decision of each step. */
import { Code, Paper, Text, Title } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { FeatureLink } from '../../parts/feature-link.tsx'
import { StepList } from '../../parts/step-list.tsx'

/** The API returns at most this much of a body. */
const shownBytes = 256 * 1024

export function Result({
  tried: { status, headers, body, size, isText, transactionId, decisions, notes },
}: {
  readonly tried: Schemas['Tried']
}) {
  return (
    <>
      <Paper withBorder p="md" component="section">
        <Title order={2} mb="sm">
          Steps
        </Title>
        <StepList decisions={decisions} />
        {notes.map(({ level, message }) => (
          <Text key={`${level} ${message}`} size="sm">
            {level}: {message}
          </Text>
        ))}
      </Paper>
      <Paper withBorder p="md" component="section">
        <Title order={2} mb="xs">
          Response: {status}
        </Title>
        <Text size="sm" mb="sm">
          Transaction{' '}
          <FeatureLink
            isTextElse
            to={`/calls/${encodeURIComponent(transactionId)}`}
            size="sm"
            className="mono"
            underline="always"
          >
            {transactionId}
          </FeatureLink>
        </Text>
        <Code block className="text">
          {isText ? body || '(empty)' : `(binary, in base64) ${body}`}
        </Code>
        {size > shownBytes && (
          <Text size="sm" c="dimmed" mt={4}>
            Truncated; the body has {size.toLocaleString('en')} bytes.
          </Text>
        )}
        <details>
          <summary>Headers</summary>
          <Code block className="text">
            {headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
          </Code>
        </details>
      </Paper>
    </>
  )
}
