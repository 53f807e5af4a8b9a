/** An operation, on tabs as the original has them: what it is, its URLs, its messages, its handler, who may call it. */
import { Badge, Button, Group, List, Paper, Stack, Table, Tabs, Text, TextInput, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useItem, useItems } from '../../api/items.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import { getField, lists, messageFields, pathOf, type Value } from '../../lists.ts'
import { FieldInput } from '../../parts/field-input.tsx'
import { faultOf } from '../../parts/find-fault.ts'
import { ItemFrame } from '../../parts/item-frame.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { hrefOf, Link, onLink, useParameter } from '../../router.tsx'
import { type ItemEditing, useItemEditing } from '../../use-item-editing.ts'
import { UriTemplates } from './uri-templates.tsx'

interface Tab {
  readonly name: string
  readonly title: string
  /** Whose faults are told at the tab. */
  readonly paths: readonly string[]
  show(editing: ItemEditing): ReactNode
}

const general = lists.operations.fields
const tabs: readonly Tab[] = [
  {
    name: 'general',
    title: 'General',
    paths: general.map(({ path }) => path),
    show: (editing) => <Fields editing={editing} fields={general} />,
  },
  { name: 'uri', title: 'URI templates', paths: ['uriTemplates'], show: (editing) => <UriTab editing={editing} /> },
  {
    name: 'document',
    title: 'Document',
    paths: ['documentTemplate'],
    show: (editing) => <DocumentTab editing={editing} />,
  },
  {
    name: 'messages',
    title: 'Messages',
    paths: messageFields.map(({ message }) => message),
    show: (editing) =>
      messageFields.map(({ message, fields }) => (
        <Paper key={message} withBorder p="md" component="section">
          <Title order={2} mb="sm">
            {message === 'requestMessage' ? 'Request' : message === 'responseMessage' ? 'Response' : 'Fault'}
          </Title>
          <Fields editing={editing} fields={fields} isBare />
        </Paper>
      )),
  },
  { name: 'handler', title: 'Handler', paths: ['handler'], show: (editing) => <HandlerTab editing={editing} /> },
  {
    name: 'routings',
    title: 'Routings',
    paths: ['routings', 'routing'],
    show: (editing) => <Routings editing={editing} />,
  },
  { name: 'permissions', title: 'Permissions', paths: [], show: (editing) => <Permissions editing={editing} /> },
  { name: 'versions', title: 'Versions', paths: [], show: (editing) => <Versions editing={editing} /> },
]

export default function OperationEditor({ id }: { readonly id: string }) {
  const { draft } = useCurrentDraft()
  const [from] = useParameter('from')
  const [version] = useParameter('version')
  const model = useItem('operations', draft, id === '' ? from : '')
  const start = model.data && { ...model.data.value, version }
  const editing = useItemEditing('operations', id, start)
  const [tab, setTab] = useParameter('tab')
  return (
    <ItemFrame list="operations" editing={editing} actions={id !== '' && <TryLink operation={editing.value} />}>
      <Tabs value={tab || 'general'} onChange={(next) => setTab(next ?? '')} keepMounted={false}>
        <Tabs.List mb="md" aria-label="Parts of the operation">
          {tabs.map(({ name, title, paths }) => {
            const faults = paths.filter((path) => faultOf(editing.problems, path) !== undefined).length
            return (
              <Tabs.Tab
                key={name}
                value={name}
                rightSection={
                  faults > 0 && (
                    <Badge color="red" size="sm" aria-label={`${faults} with a fault`}>
                      {faults}
                    </Badge>
                  )
                }
              >
                {title}
              </Tabs.Tab>
            )
          })}
        </Tabs.List>
        {tabs.map(({ name, show }) => (
          <Tabs.Panel key={name} value={name}>
            <Stack>{show(editing)}</Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
    </ItemFrame>
  )
}

function TryLink({ operation: { name, alias, method, version } }: { readonly operation: Value }) {
  const path = `/${alias ?? name}.${version ?? 'v1'}/`
  const to = `/try?method=${method}&path=${encodeURIComponent(path)}`
  return (
    <Button variant="default" component="a" href={hrefOf(to)} onClick={onLink(to)}>
      Try this one
    </Button>
  )
}

interface Editing {
  readonly editing: ItemEditing
}

function Fields({ editing, fields, isBare }: Editing & { readonly fields: typeof general; readonly isBare?: boolean }) {
  const inputs = (
    <Stack>
      {fields.map((field) => (
        <FieldInput
          key={field.path}
          field={field}
          value={editing.value}
          problems={editing.problems}
          isReadOnly={editing.whyReadOnly !== undefined}
          onChange={editing.change}
        />
      ))}
    </Stack>
  )
  return isBare ? (
    inputs
  ) : (
    <Paper withBorder p="md">
      {inputs}
    </Paper>
  )
}

/** By the message that is its document template: that document's name and elements. */
function useDocument(value: Value) {
  const { draft } = useCurrentDraft()
  const named = typeof value.documentTemplate === 'string' ? value.documentTemplate : ''
  const message = useItem('messages', draft, named)
  const document = typeof message.data?.value.document === 'string' ? message.data.value.document : ''
  const found = useItem('documents', draft, document)
  return { document, query: found, elements: (found.data?.value.elements ?? {}) as Value }
}

function UriTab({ editing }: Editing) {
  const { elements } = useDocument(editing.value)
  return <UriTemplates editing={editing} elements={elements} />
}

function DocumentTab({ editing }: Editing) {
  const { document, query } = useDocument(editing.value)
  return (
    <>
      <Fields
        editing={editing}
        fields={[
          {
            path: 'documentTemplate',
            label: 'Document template',
            kind: 'reference',
            of: 'messages',
            help: 'A message of type Document, with an element for each variable of the URI templates',
          },
        ]}
      />
      {document !== '' && (
        <Loaded query={query}>
          {({ value }) => (
            <section className="wide">
              <Title order={2}>
                Document{' '}
                <Link to={pathOf('documents', document)} underline="always" inherit>
                  {document}
                </Link>
              </Title>
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    {['Element', 'Is'].map((head) => (
                      <Table.Th key={head} scope="col">
                        {head}
                      </Table.Th>
                    ))}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {Object.entries((value.elements ?? {}) as Record<string, Value>).map(([name, element]) => (
                    <Table.Tr key={name}>
                      <Table.Td className="mono">{name}</Table.Td>
                      <Table.Td>{tellElement(element)}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </section>
          )}
        </Loaded>
      )}
    </>
  )
}

function tellElement({ type, length, isRequired, isCollection, values }: Value): string {
  return [
    `${isCollection ? 'several of ' : ''}${type}`,
    ...(length === undefined ? [] : [`at most ${length} long`]),
    ...(isRequired ? ['required'] : []),
    ...(Array.isArray(values) ? [`one of ${values.join(', ')}`] : []),
  ].join(', ')
}

function HandlerTab({ editing }: Editing) {
  return (
    <Paper withBorder p="md">
      <TextInput
        label="Handler"
        description="A file of the project, with # and the name of its export where that is not the default: handlers/echo.ts#Echo. Code is not uploaded here."
        value={String(editing.value.handler ?? '')}
        error={faultOf(editing.problems, 'handler')}
        readOnly={editing.whyReadOnly !== undefined}
        onChange={(event) => editing.change('handler', event.currentTarget.value)}
      />
    </Paper>
  )
}

function Routings({ editing }: Editing) {
  const { draft } = useCurrentDraft()
  const nodes = useItems('nodes', draft, { limit: 500 })
  return (
    <Loaded query={nodes}>
      {({ items }) => (
        <section>
          <Text size="sm" mb="sm">
            Generated, one for each operation; none can be configured.
          </Text>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Operation</Table.Th>
                <Table.Th scope="col">Routing</Table.Th>
                <Table.Th scope="col">To</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              <Table.Tr>
                <Table.Td className="mono">{idOf(editing.value)}</Table.Td>
                <Table.Td>Any to default local node</Table.Td>
                <Table.Td>{items.find(({ value }) => value.isDefaultLocal === true)?.id ?? 'none yet'}</Table.Td>
              </Table.Tr>
            </Table.Tbody>
          </Table>
        </section>
      )}
    </Loaded>
  )
}

function Permissions({ editing }: Editing) {
  const { draft } = useCurrentDraft()
  const permissionLists = useItems('permissionLists', draft, { limit: 500 })
  const id = idOf(editing.value)
  const by = (value: Value) =>
    (value.services as string[] | undefined)?.includes(String(editing.value.service))
      ? `its service ${editing.value.service}`
      : (value.operations as string[] | undefined)?.includes(id)
        ? 'this operation'
        : undefined
  return (
    <Loaded query={permissionLists}>
      {({ items }) => {
        const permitting = items.filter(({ value, state }) => state !== 'removed' && by(value) !== undefined)
        return permitting.length === 0 ? (
          <Text>No permission list names it or its service: nobody may call it.</Text>
        ) : (
          <>
            <List>
              {permitting.map((item) => (
                <List.Item key={item.id}>
                  <Link to={pathOf('permissionLists', item.id)} underline="always">
                    {item.id}
                  </Link>{' '}
                  names {by(item.value)}
                </List.Item>
              ))}
            </List>
            <Link to={`/permission-matrix?operation=${encodeURIComponent(id)}`}>Who holds them</Link>
          </>
        )
      }}
    </Loaded>
  )
}

function Versions({ editing }: Editing) {
  const { draft } = useCurrentDraft()
  const { name, method } = editing.value
  const others = useItems('operations', draft, { search: `${name}_${method}.`, limit: 100 })
  return (
    <Loaded query={others}>
      {({ items }) => {
        const versions = items.filter(({ value }) => value.name === name && value.method === method)
        const next =
          1 + Math.max(0, ...versions.map(({ value }) => Number(String(value.version ?? 'v1').slice(1)) || 0))
        const to = `${pathOf('operations', '+new')}?from=${encodeURIComponent(editing.id)}&version=v${next}`
        return (
          <>
            <List>
              {versions.map(({ id, value }) => (
                <List.Item key={id}>
                  {id === editing.id ? (
                    <b>{id}</b>
                  ) : (
                    <Link to={pathOf('operations', id)} underline="always">
                      {id}
                    </Link>
                  )}
                  {value.isActive === false && ', not active'}
                </List.Item>
              ))}
            </List>
            <Text size="sm" c="dimmed">
              Versions are called side by side, each by its own URL.
            </Text>
            {editing.whyReadOnly === undefined && editing.id !== '' && (
              <Group>
                <Button variant="default" component="a" href={hrefOf(to)} onClick={onLink(to)}>
                  Add version v{next}, beginning as this one
                </Button>
              </Group>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

function idOf(value: Value): string {
  return `${getField(value, 'name')}_${getField(value, 'method')}.${getField(value, 'version') ?? 'v1'}`
}
