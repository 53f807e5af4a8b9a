/** The editor of an operation, with the tabs of the original. */
import { Autocomplete, Badge, Button, Paper, Stack, Tabs, TextInput, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useItem } from '../../api/items.ts'
import { useLoadedHandlers } from '../../api/running.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import { type Example, writeExamplePath } from '../../example-path.ts'
import { lists, messageFields, type Value } from '../../lists.ts'
import { type Editing, Fields } from '../../parts/fields.tsx'
import { errorOf } from '../../parts/find-error.ts'
import { ItemFrame } from '../../parts/item-frame.tsx'
import { hrefOf, onLink, useParameter } from '../../router.tsx'
import { type ItemEditing, useItemEditing } from '../../use-item-editing.ts'
import { Callers } from './operation/callers.tsx'
import { DocumentTab, useDocument } from './operation/document-tab.tsx'
import { idOf } from './operation/id-of.ts'
import { PermissionsTab } from './operation/permissions-tab.tsx'
import { RoutingsTab } from './operation/routings-tab.tsx'
import { Shadow } from './operation/shadow.tsx'
import { VersionsTab } from './operation/versions-tab.tsx'
import { UriTemplates } from './uri-templates.tsx'

interface Tab {
  readonly name: string
  readonly title: string
  /** Fields whose errors the tab counts. */
  readonly paths: readonly string[]
  show(editing: ItemEditing): ReactNode
}

const general = lists.operations.fields
const tabs: readonly Tab[] = [
  {
    name: 'general',
    title: 'General',
    paths: general.map(({ path }) => path),
    show: (editing) => (
      <>
        <Fields editing={editing} fields={general} />
        {editing.value.deprecated !== undefined && editing.id !== '' && <Callers operation={editing.id} />}
      </>
    ),
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
    show: (editing) => <RoutingsTab editing={editing} />,
  },
  { name: 'permissions', title: 'Permissions', paths: [], show: (editing) => <PermissionsTab editing={editing} /> },
  { name: 'versions', title: 'Versions', paths: [], show: (editing) => <VersionsTab editing={editing} /> },
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
            const errors = paths.filter((path) => errorOf(editing.problems, path) !== undefined).length
            return (
              <Tabs.Tab
                key={name}
                value={name}
                rightSection={
                  errors > 0 && (
                    <Badge color="red" size="sm" aria-label={`${errors} ${errors === 1 ? 'error' : 'errors'}`}>
                      {errors}
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

function TryLink({ operation }: { readonly operation: Value }) {
  const to = `/try?method=${operation.method}&path=${encodeURIComponent(writeExamplePath(operation as Example))}`
  return (
    <Button variant="default" component="a" href={hrefOf(to)} onClick={onLink(to)}>
      Try this operation
    </Button>
  )
}

function UriTab({ editing }: Editing) {
  const { elements } = useDocument(editing.value)
  return <UriTemplates editing={editing} elements={elements} />
}

function HandlerTab({ editing }: Editing) {
  const { handler } = editing.value
  const mayEdit = editing.whyReadOnly === undefined
  const loaded = useLoadedHandlers(mayEdit)
  if (typeof handler === 'object' && handler !== null)
    return <PassThrough handler={handler as Value} operation={idOf(editing.value)} />
  return (
    <Paper withBorder p="md">
      <Autocomplete
        label="Handler"
        data={[...(loaded.data?.items ?? [])]}
        description="A file of the project; those that are loaded are offered. For an export other than the default, add # and its name: handlers/echo.ts#Echo. Code cannot be uploaded here."
        value={String(handler ?? '')}
        error={errorOf(editing.problems, 'handler')}
        readOnly={!mayEdit}
        onChange={(next) => editing.change('handler', next)}
      />
    </Paper>
  )
}

/** Where its calls go is chosen in the project's files. */
function PassThrough({ handler, operation }: { readonly handler: Value; readonly operation: string }) {
  const { passThrough, credentials, cookies, shadow } = handler
  return (
    <Paper withBorder p="md">
      <TextInput
        label="Passed through to"
        description={`Another server answers. Credentials: ${credentials ?? 'none'}; its cookies: ${cookies ?? 'drop'}.`}
        value={String(passThrough)}
        readOnly
      />
      {typeof shadow === 'string' && <Shadow operation={operation} handler={shadow} />}
    </Paper>
  )
}
