/** The URI templates of an operation; matches a URL against the unsaved templates, and builds one from them. */
import { Button, Code, Group, NumberInput, Paper, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api, read, type Schemas } from '../../api/client.ts'
import { FieldError } from '../../parts/elements.tsx'
import type { EditingProps } from '../../parts/fields.tsx'
import { errorOf } from '../../parts/find-error.ts'
import { ProblemAlert } from '../../parts/problem-alert.tsx'
import { variablesOf } from '../../uri-variables.ts'
import { templatesOf, useDocument } from './operation/alongside.ts'

export function TemplateList({ editing }: EditingProps) {
  const given = templatesOf(editing.value)
  const isReadOnly = editing.whyReadOnly !== undefined
  const isNew = editing.id === '' && given.length === 0
  const uriTemplates = isNew ? [''] : given
  const set = (next: readonly string[]) => editing.change('uriTemplates', next)
  const last = useRef<HTMLInputElement>(null)
  const add = () => {
    set([...uriTemplates, ''])
    requestAnimationFrame(() => last.current?.focus())
  }
  return (
    <>
      {uriTemplates.map((template, at) => (
        <Group key={at} align="flex-start" gap="xs" wrap="nowrap">
          <TextInput
            ref={at === uriTemplates.length - 1 ? last : undefined}
            label={`URI template ${at + 1}`}
            placeholder="echo/{word}"
            value={template}
            readOnly={isReadOnly}
            onChange={({ currentTarget: { value } }) =>
              set(uriTemplates.map((old, index) => (index === at ? value : old)))
            }
            error={errorOf(editing.problems, `uriTemplates[${at}]`)}
            classNames={{ input: 'mono' }}
            style={{ flexGrow: 1, minWidth: 0 }}
          />
          {!isReadOnly && !isNew && (
            <Button
              variant="default"
              aria-label={`Remove URI template ${at + 1}`}
              mt={25}
              style={{ flexShrink: 0 }}
              onClick={() => set(uriTemplates.filter((_, index) => index !== at))}
            >
              Remove
            </Button>
          )}
        </Group>
      ))}
      {given.length === 0 && <Text size="sm">No URI template. The operation matches only /.</Text>}
      <FieldError text={editing.problems.find(({ path }) => path === 'uriTemplates')?.message} />
      {!isReadOnly && !isNew && (
        <Button variant="default" style={{ alignSelf: 'flex-start' }} onClick={add}>
          Add URI template
        </Button>
      )}
    </>
  )
}

export function TestUrls({ editing }: EditingProps) {
  const { elements } = useDocument(editing.value)
  const [settled] = useDebouncedValue(templatesOf(editing.value).join('\n'), 250)
  const tried = { uriTemplates: settled === '' ? [] : settled.split('\n'), elements: elements as Elements }
  return (
    <>
      <TryUrl tried={tried} />
      <BuildUrl tried={tried} />
    </>
  )
}

type Elements = NonNullable<Schemas['UriMatchingInput']['elements']>
interface TrialProps {
  readonly tried: { readonly uriTemplates: string[]; readonly elements: Elements }
}

function TryUrl({ tried }: TrialProps) {
  const [path, setPath] = useState('')
  const [settled] = useDebouncedValue(path, 250)
  const { data, error } = useQuery({
    queryKey: ['uri-templates', 'match', tried, settled],
    enabled: settled !== '',
    queryFn: () => read(api.POST('/api/uri-templates/match', { body: { ...tried, path: settled } })),
  })
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} mb="sm">
        Test a URL
      </Title>
      <Stack gap="sm">
        <TextInput
          label="URL after the version"
          placeholder="/echo/x?value=y"
          value={path}
          onChange={(event) => setPath(event.currentTarget.value)}
          classNames={{ input: 'mono' }}
        />
        {error && <ProblemAlert problem={error} />}
        {settled !== '' && data && (
          <div role="status">
            <Text fw={600}>
              {data.refusal === null ? 'The URL matches.' : `The gateway would refuse the call: ${data.refusal}`}
            </Text>
            {data.values && <Code block>{JSON.stringify(data.values, null, 1)}</Code>}
            <Table mt="sm">
              <Table.Tbody>
                {data.templates.map(({ index, source, isMatch, reason }) => (
                  <Table.Tr key={index}>
                    <Table.Th scope="row">{index}</Table.Th>
                    <Table.Td className="mono">{source}</Table.Td>
                    <Table.Td>{isMatch ? 'matches' : reason}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
      </Stack>
    </Paper>
  )
}

function BuildUrl({ tried }: TrialProps) {
  const [index, setIndex] = useState(1)
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const source = tried.uriTemplates[index - 1] ?? '/'
  const names = variablesOf([source]).map(({ name }) => name)
  const given = Object.fromEntries(
    names
      .filter((name) => (values[name] ?? '') !== '')
      .map((name) => [
        name,
        tried.elements[name]?.isCollection ? (values[name] ?? '').split(',') : (values[name] ?? ''),
      ]),
  )
  const isWhole = names.every((name) => name in given)
  const [settled] = useDebouncedValue(JSON.stringify(given), 250)
  const { data, error } = useQuery({
    queryKey: ['uri-templates', 'build', tried, index, settled],
    queryFn: () =>
      read(api.POST('/api/uri-templates/build', { body: { ...tried, index, values: JSON.parse(settled) } })),
  })
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} mb="sm">
        Build a URL
      </Title>
      <Stack gap="sm">
        <Group align="flex-end">
          <NumberInput
            label="URI template"
            min={1}
            max={Math.max(1, tried.uriTemplates.length)}
            value={index}
            onChange={(next) => setIndex(typeof next === 'number' && next > 0 ? next : 1)}
            w={110}
            hideControls
          />
          {names.map((name) => (
            <TextInput
              key={name}
              label={tried.elements[name]?.isCollection ? `${name}, separated by commas` : name}
              value={values[name] ?? ''}
              onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, [name]: value }))}
              maw="100%"
              styles={{ label: { overflowWrap: 'anywhere' } }}
            />
          ))}
        </Group>
        {error && <ProblemAlert problem={error} />}
        {data && (
          <Text role="status" className="mono">
            {data.path ?? (isWhole ? data.fault : 'Enter a value for each variable.')}
          </Text>
        )}
      </Stack>
    </Paper>
  )
}
