/** Whether the caller may call an operation, and by which permission list (specification 21.13). */
import { Paper, Select, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, read } from '../../api/client.ts'
import { useOperations } from '../../api/configuration.ts'
import type { Operator } from '../../api/operators.ts'
import { pathOf } from '../../lists.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { matchesOption } from '../../parts/matches-option.ts'
import { typingPause } from '../../parts/typing-pause.ts'
import { Link, useParameter } from '../../router.tsx'

export function MayCall({ operator }: { readonly operator: Operator }) {
  const [operation, setOperation] = useParameter('operation')
  const [search, setSearch] = useState(operation)
  const [settled] = useDebouncedValue(search, typingPause)
  const found = useOperations({ limit: 20, ...(settled !== '' && settled !== operation && { search: settled }) }).data
  const ids = found?.items.map((each) => each.id) ?? []
  return (
    <Paper withBorder p="md" component="section" aria-label="May call">
      <Title order={2} mb="xs">
        May call
      </Title>
      <Select
        aria-label="Operation"
        placeholder="Operation"
        data={operation === '' || ids.includes(operation) ? ids : [operation, ...ids]}
        value={operation || null}
        onChange={(next) => setOperation(next ?? '')}
        searchable
        onSearchChange={setSearch}
        filter={({ options, search: typed }) =>
          typed === operation ? options : options.filter((option) => matchesOption(option, typed))
        }
        selectFirstOptionOnChange
        nothingFoundMessage="No matches"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear operation' }}
      />
      {operation !== '' && <Verdict operator={operator} operation={operation} />}
      <Text size="sm" mt="xs">
        <Link to={`/permission-matrix?search=${encodeURIComponent(operator.id)}`} underline="always">
          Permitted operations
        </Link>
      </Text>
    </Paper>
  )
}

function Verdict({
  operator: { id, isLocked },
  operation,
}: {
  readonly operator: Operator
  readonly operation: string
}) {
  const verdict = useQuery({
    queryKey: ['operators', 'may', id, operation], // asked again after a grant
    queryFn: () => read(api.GET('/api/operators/{id}/operations/{operation}', { params: { path: { id, operation } } })),
  })
  return (
    <Loaded query={verdict}>
      {({ isAllowed, grantedBy, permittedBy }) => (
        <Text size="sm" mt="xs" role="status" component="div">
          <strong>{isAllowed ? 'Yes' : 'No'}</strong>
          {isAllowed ? (
            <>
              , by <Lists names={grantedBy} />
            </>
          ) : isLocked ? (
            ', it is locked.'
          ) : permittedBy.length === 0 ? (
            ', no permission list contains the operation.'
          ) : (
            <>
              , it needs {permittedBy.length > 1 && 'one of '}
              <Lists names={permittedBy} />
            </>
          )}
        </Text>
      )}
    </Loaded>
  )
}

function Lists({ names }: { readonly names: readonly string[] }) {
  return names.map((name, at) => (
    <span key={name}>
      {at > 0 && ', '}
      <Link to={pathOf('permissionLists', name)} underline="always">
        {name}
      </Link>
    </span>
  ))
}
