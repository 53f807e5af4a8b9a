/** The form that calls an operation as any caller, and shows request, response and the decision of each step. */
import { Alert, Button, Group, Paper, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type FormEvent, useState } from 'react'
import { useDrafts } from '../../api/drafts.ts'
import { useOperators } from '../../api/operators.ts'
import { usePermissionMatrix } from '../../api/permission-matrix.ts'
import { useMay } from '../../api/session.ts'
import { useTry } from '../../api/try.ts'
import { CopyCurl } from '../../parts/copy-curl.tsx'
import { matchesOption } from '../../parts/matches-option.ts'
import { ProblemAlert } from '../../parts/problem-alert.tsx'
import { typingPause } from '../../parts/typing-pause.ts'
import { useParameter } from '../../router.tsx'
import { type Input, methods, readHeaders, type Trial } from '../../trial.ts'
import { ChooseOperation } from './choose-operation.tsx'
import { History, useHistory } from './history.tsx'
import { Result } from './result.tsx'

const anonymous = 'No caller (no credentials)'

export default function TryForm() {
  const [startMethod] = useParameter('method')
  const [startPath] = useParameter('path')
  const [draft, setDraft] = useParameter('draft')
  const drafts = useDrafts()
  const [startOperator] = useParameter('operator')
  const [startOperation] = useParameter('operation')
  const permitted = usePermittedCaller(startPath === '' ? startOperation : '') // a call made again keeps its caller
  const [input, setInput] = useState<Input>({
    method: methods.find((known) => known === startMethod) ?? 'GET',
    path: startPath,
    operator: startOperator || undefined,
    headers: '',
    body: '',
    from: '127.0.0.1',
    isSecure: false,
    verification: undefined,
  })
  const change = (changed: Partial<Input>) => setInput((before) => ({ ...before, ...changed }))
  const { method, path, headers, body, from, isSecure, verification } = input
  const operator = input.operator === undefined ? (verification === 'NONE' ? null : permitted) : input.operator
  const [search, setSearch] = useState('')
  const [settled] = useDebouncedValue(search, typingPause)
  const history = useHistory()
  const operators = useOperators({ limit: 50, ...(settled !== '' && settled !== anonymous && { search: settled }) })
  const { mutate, data, error, isPending } = useTry(draft)
  const mayTry = useMay('administrator')
  const ids = operators.data?.items.map(({ id }) => id) ?? []
  const trial: Trial = { method, path, operator, isSecure, from: from.trim(), headers: readHeaders(headers), body }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate(trial)
    history.add({ ...input, operator })
  }
  return (
    <Stack maw={960}>
      {!mayTry && (
        <Alert color="gray" role="status">
          Only administrators can use this page, because it calls as any caller.
        </Alert>
      )}
      <form onSubmit={submit}>
        <Paper withBorder p="md">
          <Stack gap="sm">
            <Select
              label="Configuration"
              data={[
                { value: '', label: 'Active configuration' },
                ...(drafts.data?.items ?? []).map(({ id, title }) => ({ value: id, label: `Draft: ${title}` })),
              ]}
              value={draft}
              onChange={(next) => setDraft(next ?? '')}
              allowDeselect={false}
            />
            <ChooseOperation key={draft} draft={draft} onChange={change} />
            <Group gap="sm" align="flex-start">
              <Select
                label="Method"
                data={methods}
                value={method}
                onChange={(next) => change({ method: methods.find((known) => known === next) ?? 'GET' })}
                allowDeselect={false}
                w={120}
              />
              <TextInput
                label="URL from the operation on"
                placeholder="/ECHO.v1/echo/x"
                value={path}
                onChange={(event) => change({ path: event.currentTarget.value, verification: undefined })}
                classNames={{ input: 'mono' }}
                required
                style={{ flex: '1 1 240px' }}
              />
            </Group>
            <Select
              label="Caller"
              data={[anonymous, ...(operator !== null && !ids.includes(operator) ? [operator] : []), ...ids]}
              value={operator ?? anonymous}
              onChange={(next) => change({ operator: next === anonymous ? null : next })}
              searchable
              onSearchChange={setSearch}
              onClick={(event) => event.currentTarget.select()}
              filter={({ options, search: typed }) =>
                typed === (operator ?? anonymous) ? options : options.filter((option) => matchesOption(option, typed))
              }
              allowDeselect={false}
              selectFirstOptionOnChange
            />
            <Textarea
              label="Headers"
              description="One per line, such as Accept: text/xml"
              value={headers}
              onChange={(event) => change({ headers: event.currentTarget.value })}
              classNames={{ input: 'mono' }}
              rows={1}
            />
            {method !== 'GET' && method !== 'HEAD' && (
              <Textarea
                label="Body"
                value={body}
                onChange={(event) => change({ body: event.currentTarget.value })}
                classNames={{ input: 'mono' }}
                rows={4}
              />
            )}
            <TextInput
              label="Address"
              description="Treats the call as if this address had connected; if it is a trusted proxy, its headers are used"
              value={from}
              onChange={(event) => change({ from: event.currentTarget.value })}
              classNames={{ input: 'mono' }}
            />
            <Switch
              label="Treat as TLS"
              checked={isSecure}
              onChange={(event) => change({ isSecure: event.currentTarget.checked })}
            />
            <Group gap="sm">
              <Button type="submit" loading={isPending} disabled={!mayTry}>
                Call
              </Button>
              {draft === '' && <CopyCurl trial={trial} verification={verification} />}
              <Text size="sm" c="dimmed">
                {draft === ''
                  ? "This is a real call to the active configuration: the handler's changes are stored."
                  : "A trial: the handler's writes to the database are rolled back. Other effects, such as files and calls to other servers, are not."}
              </Text>
            </Group>
          </Stack>
        </Paper>
      </form>
      {error && <ProblemAlert problem={error} />}
      {data && <Result tried={data} />}
      <History calls={history.calls} onChoose={setInput} onClear={history.clear} />
    </Stack>
  )
}

/** The first caller who may call the operation, or null. */
function usePermittedCaller(operation: string): string | null {
  const isAsked = operation !== ''
  const matrix = usePermissionMatrix({ operation, operationLimit: 100, operatorLimit: 1 }, isAsked)
  const [permissionList] = matrix.data?.operations.items.find(({ id }) => id === operation)?.permittedBy ?? []
  const isHeld = isAsked && permissionList !== undefined
  const holders = useOperators({ isLocked: 'false', limit: 1, ...(isHeld && { permissionList }) }, isHeld)
  return (isHeld && holders.data?.items[0]?.id) || null
}
