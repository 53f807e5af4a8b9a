/** A revision: who made it, what it changed, and what activating it again would change (specification 19.9, 19.14). */
import { Badge, Stack, Text, Title } from '@mantine/core'
import { Problem, type Schemas, type TaggedValue } from '../api/client.ts'
import {
  type Change,
  useActivation,
  useActivations,
  useRevision,
  useRevisionChanges,
  useRollBack,
} from '../api/drafts.ts'
import { useMay } from '../api/session.ts'
import type { PageProps } from '../page.ts'
import { ActivateBar } from '../parts/activate-bar.tsx'
import { ChangeList } from '../parts/change-list.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { breakLongWords } from '../parts/long-words.tsx'
import { Moment } from '../parts/moment.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { useToast } from '../parts/toast.tsx'
import { Redirect } from '../router.tsx'
import { good } from '../theme.ts'

export default function Revisions({ id }: PageProps) {
  if (id === '') return <Redirect to="/changes?kind=revision" />
  return /^[1-9]\d{0,8}$/.test(id) ? <RevisionPage key={id} number={Number(id)} /> : <NotFound revision={id} />
}

function RevisionPage({ number }: { readonly number: number }) {
  const activation = useActivation()
  const active = activation.data?.value.revision
  const later = useRevisionChanges(active, number)
  const revision = useRevision(number)
  const activations = useActivations()
  const before = activations.data && findBefore(activations.data.items, number)
  const own = useRevisionChanges(before, number)
  const mayChange = useMay('administrator')
  const isGone = later.error instanceof Problem && later.error.code === 'notFound'
  if (isGone) return <NotFound revision={number} />
  return (
    <>
      <PageHead item={`Revision ${number}`}>{active === number && <Badge color={good}>active</Badge>}</PageHead>
      <Stack maw={960}>
        <Loaded query={revision}>{(made) => <Made revision={made} />}</Loaded>
        {before !== undefined && (
          <section>
            <Title order={2} mb="sm">
              What it changed, compared with revision {before}
            </Title>
            <Loaded query={own}>{({ changes }) => <ChangeList changes={changes} mayTry={active === number} />}</Loaded>
          </section>
        )}
        {active !== number && (
          <Stack component="section" gap="sm">
            <Title order={2}>
              What activating it would change{active !== undefined && `, compared with the active revision ${active}`}
            </Title>
            <Loaded query={activation}>
              {() => <Loaded query={later}>{({ changes }) => <ChangeList changes={changes} />}</Loaded>}
            </Loaded>
            {mayChange && activation.data && later.data && (
              <RollBack number={number} active={activation.data} changes={later.data.changes} />
            )}
          </Stack>
        )}
      </Stack>
    </>
  )
}

/** The revision that this one replaced last, or the number before if that is longer ago. */
function findBefore(activations: readonly Schemas['Activation'][], number: number): number | undefined {
  const at = activations.findIndex(({ revision }) => revision === number)
  if (at >= 0 && at < activations.length - 1) return activations[at + 1]?.revision
  return number > 1 ? number - 1 : undefined
}

function Made({ revision: { created, activated, author, note, state } }: { readonly revision: Schemas['Revision'] }) {
  return (
    <Text size="sm" c="dimmed">
      {note !== '' && <>“{breakLongWords(note)}” </>}
      Made {author !== null && <>by {author} </>}
      <Moment time={created} />
      {activated !== created && (
        <>
          ; activated last <Moment time={activated} />
        </>
      )}
      {state === 'refused' && '; not every process could serve it'}.
    </Text>
  )
}

/** The page of a revision that does not exist. */
function NotFound({ revision }: { readonly revision: string | number }) {
  return (
    <>
      <PageHead item="Not found" />
      <Text>There is no revision {revision}.</Text>
    </>
  )
}

interface RollBackProps {
  readonly number: number
  readonly active: TaggedValue<Schemas['Activation']>
  readonly changes: readonly Change[]
}

function RollBack({ number, active, changes }: RollBackProps) {
  const { mutateAsync, isPending, error } = useRollBack()
  const toast = useToast()
  // Awaits the promise, because callbacks end with this form, which goes when the revision is active
  const rollBack = (chosen: { readonly note: string; readonly force: boolean }) =>
    mutateAsync({ etag: active.etag, revision: number, ...chosen }).then(
      () => toast(`Revision ${number} is active.`),
      () => {}, // the form shows the error
    )
  return (
    <ActivateBar
      action={`Activate revision ${number}`}
      help={`It replaces revision ${active.value.revision} on all instances within a second.`}
      changes={changes}
      isPending={isPending}
      error={error}
      onActivate={(chosen) => void rollBack(chosen)}
    />
  )
}
