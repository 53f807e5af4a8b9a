/** Shown if there are no calls: a command that makes one. */

import { Code, CopyButton, Group, Paper, Skeleton, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { segmentOf } from '../../../../src/model/operation-name.ts'
import { verificationOf } from '../../../../src/model/verification.ts'
import { type OperationEntry, useOperations } from '../../api/configuration.ts'
import { useOperators } from '../../api/operators.ts'
import { useBaseUrl } from '../../base-url.ts'
import { hasPage } from '../../features.ts'
import { Link } from '../../router.tsx'

/** @param when `in the last hour` */
export function FirstCall({ when }: { readonly when: string }) {
  const base = useBaseUrl()
  const { data: operations, isPending } = useOperations({ limit: 200 })
  const isWithoutOperators = useOperators({ limit: 1 }).data?.items.length === 0
  const operation = operations && chooseOperation(operations.items)
  const isKnown = !isPending && base !== undefined
  const line = base && operation && writeLine(base, operation)
  return (
    <Paper withBorder p="md" component="section" aria-label="No calls">
      <Stack gap="sm">
        <Title order={2}>No calls {when}</Title>
        {isKnown && line === undefined ? (
          <Text size="sm">Calls appear here within a few seconds.</Text>
        ) : (
          <>
            <Text size="sm">Run this command to make a call. It appears here within a few seconds.</Text>
            {line === undefined ? (
              <Skeleton className="as-url" />
            ) : (
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
            )}
            {isWithoutOperators && (
              <Text size="sm">
                The gateway refuses it until you add a caller, because every call runs as one.{' '}
                <Link to="/callers" size="sm" underline="always">
                  Add a caller
                </Link>{' '}
                and grant it a permission list for the operation.
              </Text>
            )}
          </>
        )}
        <Text size="sm">
          {hasPage('/calls') && (
            <>
              For older calls, see the{' '}
              <Link to="/calls" size="sm" underline="always">
                monitor
              </Link>
              .{' '}
            </>
          )}
          To call operations from the console, use{' '}
          <Link to="/try" size="sm" underline="always">
            Try it
          </Link>
          .
        </Text>
      </Stack>
    </Paper>
  )
}

/** Prefers operations with GET, without credentials and without variables. */
function chooseOperation(operations: readonly OperationEntry[]): OperationEntry['value'] | undefined {
  const effort = ({ value: { method, verification, uriTemplates = [] } }: OperationEntry) =>
    (method === 'GET' ? 0 : 4) +
    (verificationOf(verification).allowsAnonymous ? 0 : 2) +
    (uriTemplates[0]?.includes('{') ? 1 : 0)
  return operations
    .filter(({ value: { isActive = true, verification } }) => isActive && !verificationOf(verification).needsTls)
    .toSorted((one, other) => effort(one) - effort(other))[0]?.value
}

function writeLine(base: string, operation: OperationEntry['value']): string {
  const { method, verification } = operation
  const verb = method === 'GET' ? '' : `-X ${method}`
  const words = ['curl -i', verb, verificationOf(verification).curl(), `'${base}${writeExamplePath(operation)}'`]
  return words.filter(Boolean).join(' ')
}

/** From the operation on, by its first URI template. Sets every variable to 1, which is valid as text and as number. */
function writeExamplePath({ name, alias = name, version = 'v1', uriTemplates = [] }: OperationEntry['value']): string {
  const path = (uriTemplates[0] ?? '').replace(/^\//, '').replace(/\{[^}]*\}/g, '1')
  return `/${segmentOf({ alias, version })}/${path}`
}
