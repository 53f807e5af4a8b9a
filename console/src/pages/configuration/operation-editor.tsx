/** An operation: it opens to be read; its settings are parts in the order in which a person makes one. */
import { Badge, Paper, Stack, Tabs, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useItem, useItems } from '../../api/items.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import { lists, type Value } from '../../lists.ts'
import { general, limits, messages, operationTabs, others } from '../../operation-tabs.ts'
import { Fields } from '../../parts/fields.tsx'
import { errorOf } from '../../parts/find-error.ts'
import { InTurn } from '../../parts/in-turn.tsx'
import { ItemFrame } from '../../parts/item-frame.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useParameter } from '../../router.tsx'
import { type ItemEditing, useItemEditing } from '../../use-item-editing.ts'
import { type OperationAlongside, useAlongside } from './operation/alongside.ts'
import { HandlerPart } from './operation/handler-part.tsx'
import { OperationTabs, OperationView, views } from './operation/operation-view.tsx'
import { Permissions } from './operation/permissions.tsx'
import { RoutingsTab } from './operation/routings-tab.tsx'
import { Urls } from './operation/urls.tsx'
import { Variables } from './operation/variables.tsx'
import { VersionsTab } from './operation/versions-tab.tsx'
import { TemplateList, TestUrls } from './uri-templates.tsx'

interface TabProps {
  readonly editing: ItemEditing
  readonly alongside: OperationAlongside
}

const shows: Readonly<Record<(typeof operationTabs)[number]['name'], (shown: TabProps) => ReactNode>> = {
  general: ({ editing, alongside }) => (
    // With errors all at once: the first of them gets the focus, in whichever part it is
    <InTurn first={editing.problems.length > 0 ? Number.POSITIVE_INFINITY : 2}>
      <Urls operation={editing.value} />
      <Part title="Name and method">
        <Fields editing={editing} fields={general.name} isBare />
        <NewService alongside={alongside} />
        <Fields editing={editing} fields={general.about} isBare />
      </Part>
      <Part title="URL">
        <TemplateList editing={editing} />
        <Variables editing={editing} alongside={alongside} />
      </Part>
      <Part title="Who may call it">
        <Fields editing={editing} fields={general.callers} isBare />
        <Permissions editing={editing} alongside={alongside} />
      </Part>
      <Part title="Handler">
        <HandlerPart editing={editing} />
      </Part>
    </InTurn>
  ),
  limits: ({ editing }) => <Fields editing={editing} fields={limits} />,
  messages: ({ editing }) =>
    messages.map(({ message, title, fields }) => (
      <Part key={message} title={title}>
        <Fields editing={editing} fields={fields} isBare />
      </Part>
    )),
  other: ({ editing }) => <Fields editing={editing} fields={others} />,
  uri: ({ editing }) => <TestUrls editing={editing} />,
  routings: ({ editing }) => <RoutingsTab editing={editing} />,
  versions: ({ editing }) => <VersionsTab editing={editing} />,
}

export default function OperationEditor({ id }: { readonly id: string }) {
  return id === '' ? <NewOperation /> : <Editor id={id} />
}

/** Begins as a version of another (`from`), or with the only service that there is. */
function NewOperation() {
  const { draft } = useCurrentDraft()
  const [from] = useParameter('from')
  const [version] = useParameter('version')
  const model = useItem('operations', draft, from)
  const services = useItems('services', draft, { limit: 2 })
  const { start } = lists.operations
  if (from !== '') return <Loaded query={model}>{({ value }) => <Editor id="" start={{ ...value, version }} />}</Loaded>
  return (
    <Loaded query={services}>
      {({ items, total }) => <Editor id="" start={total === 1 ? { ...start, service: items[0]?.id } : start} />}
    </Loaded>
  )
}

function Editor({ id, start }: { readonly id: string; readonly start?: Value }) {
  const editing = useItemEditing('operations', id, start)
  const alongside = useAlongside(editing)
  const [tab, setTab] = useParameter('tab')
  const shown = operationTabs.filter((each) => id !== '' || !('isLater' in each))
  const errorsOf = ({ paths }: { readonly paths: readonly string[] }) =>
    paths.filter((path) => errorOf(editing.problems, path) !== undefined).length
  const isForm = id === '' || shown.some(({ name }) => name === tab) || (tab === '' && editing.state === 'added')
  const view = isForm ? undefined : (views.find(({ name }) => name === tab)?.name ?? '')
  const discard = () => {
    editing.discard()
    alongside.discard()
  }
  return (
    <ItemFrame
      list="operations"
      editing={{ ...editing, discard }}
      alongside={alongside}
      onHiddenError={() => setTab(shown.find((each) => errorsOf(each) > 0)?.name ?? 'general')}
      tabs={id !== '' && <OperationTabs id={id} current={view ?? 'general'} />}
      view={view === undefined ? undefined : <OperationView id={id} view={view} editing={editing} />}
    >
      <Tabs
        value={shown.some(({ name }) => name === tab) ? tab : 'general'}
        onChange={(next) => setTab(next ?? 'general')}
        keepMounted={false}
      >
        <Tabs.List mb="md" aria-label="Parts of the operation">
          {shown.map((each) => {
            const { name, title } = each
            const errors = errorsOf(each)
            return (
              <Tabs.Tab
                key={name}
                value={name}
                rightSection={
                  errors > 0 && (
                    <Badge color="failed" size="sm" aria-label={`${errors} ${errors === 1 ? 'error' : 'errors'}`}>
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
        {shown.map(({ name }) => (
          <Tabs.Panel key={name} value={name}>
            <Stack>{shows[name]({ editing, alongside })}</Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
    </ItemFrame>
  )
}

/** Says that saving adds the service that the operation names, if there is none of that name. */
function NewService({ alongside: { newService } }: Pick<TabProps, 'alongside'>) {
  if (newService === undefined) return null
  return (
    <Text size="sm" role="status">
      There is no service {newService}. Saving adds it.
    </Text>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} mb="sm">
        {title}
      </Title>
      <Stack gap="sm">{children}</Stack>
    </Paper>
  )
}
