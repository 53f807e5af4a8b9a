/** Where nobody calls: a line that does, ready to paste. */
import { Code, CopyButton, Group, Paper, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { type OperationEntry, useOperations } from '../../api/configuration.ts'
import { useOperators } from '../../api/operators.ts'
import { useSettings } from '../../api/running.ts'
import { useGatewayState } from '../../api/statistics.ts'
import { writeExamplePath } from '../../example-path.ts'
import { Link } from '../../router.tsx'

export function FirstCall({ minutes }: { readonly minutes: number }) {
  const state = useGatewayState().data
  const settings = useSettings().data
  const operations = useOperations({ limit: 200 }).data
  const isWithoutOperators = useOperators({ limit: 1 }).data?.items.length === 0
  const folder = settings?.items.find(({ key }) => key === 'ig.gatewayPath')?.value
  const operation = operations && chooseOperation(operations.items)
  const line =
    state && folder && operation
      ? writeLine(`${state.gatewayUrl}/${folder}/RESTListeningConnector/${state.defaultNode}`, operation)
      : undefined
  return (
    <Paper withBorder p="md" component="section" aria-label="No calls">
      <Stack gap="sm">
        <Title order={2}>No calls in the last {minutes} minutes</Title>
        {line === undefined ? (
          <Text size="sm">Calls are shown here a few seconds after they were answered.</Text>
        ) : (
          <>
            <Text size="sm">Here is one. It is shown here a few seconds after it was answered.</Text>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <Code block className="text" style={{ flexGrow: 1 }}>
                {line}
              </Code>
              <CopyButton value={line}>
                {({ copied, copy }) => (
                  <UnstyledButton className="link" onClick={copy} p="xs" style={{ flexShrink: 0 }}>
                    {copied ? 'Copied' : 'Copy'}
                  </UnstyledButton>
                )}
              </CopyButton>
            </Group>
            {isWithoutOperators && (
              <Text size="sm">
                It will be refused: there is no operator yet, and every call runs as one.{' '}
                <Link to="/operators" size="sm" underline="always">
                  Add the first
                </Link>
                , and let it call the operation by a permission list.
              </Text>
            )}
          </>
        )}
        <Text size="sm">
          Earlier ones are in the{' '}
          <Link to="/monitor" size="sm" underline="always">
            monitor
          </Link>
          . From here, operations are called by{' '}
          <Link to="/try" size="sm" underline="always">
            Try it
          </Link>
          .
        </Text>
      </Stack>
    </Paper>
  )
}

/** One that needs least: GET, no credentials, nothing to fill in. */
function chooseOperation(operations: readonly OperationEntry[]): OperationEntry['value'] | undefined {
  const effort = ({ value: { method, verification, uriTemplates = [] } }: OperationEntry) =>
    (method === 'GET' ? 0 : 4) +
    (verification === undefined || verification === 'NONE' ? 0 : 2) +
    (uriTemplates[0]?.includes('{') ? 1 : 0)
  return operations
    .filter(({ value: { isActive = true, verification = 'NONE' } }) => isActive && !/SSL$/.test(verification))
    .toSorted((one, other) => effort(one) - effort(other))[0]?.value
}

function writeLine(base: string, operation: OperationEntry['value']): string {
  const { method, verification = 'NONE' } = operation
  const credentials =
    verification === 'Basic'
      ? '-u OPERATOR:PASSWORD '
      : verification === 'OAuth2'
        ? '-H "Authorization: Bearer $TOKEN" '
        : ''
  const verb = method === 'GET' ? '' : `-X ${method} `
  return `curl -i ${verb}${credentials}'${base}${writeExamplePath(operation)}'`
}
