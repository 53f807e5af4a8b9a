/** One draft: its faults, what it would change for callers, and what becomes of it. */
import { Alert, Button, Checkbox, List, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import type { Tagged } from '../../api/client.ts'
import {
  type Change,
  type Draft,
  useActivateDraft,
  useDeleteDraft,
  useDraft,
  useDraftChanges,
  useDraftProblems,
  useRebaseDraft,
} from '../../api/drafts.ts'
import { useMay } from '../../api/session.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import { pathOf } from '../../lists.ts'
import { ChangeList } from '../../parts/change-list.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemAlert } from '../../parts/problem-alert.tsx'
import { useSay } from '../../parts/say.tsx'
import { go, Link } from '../../router.tsx'

export function DraftPage({ id }: { readonly id: string }) {
  const query = useDraft(id)
  const problems = useDraftProblems(id)
  const isValid = problems.data?.isValid ?? false
  const changes = useDraftChanges(id, isValid)
  const current = useCurrentDraft()
  const mayChange = useMay('administrator')
  const work = () => current.choose(id) // what it leads to is the item as the draft has it
  return (
    <>
      <PageHead title={query.data?.value.title ?? 'Draft'} of={{ title: 'Drafts', path: '/drafts' }}>
        {query.data && current.draft !== id && (
          <Button variant="default" onClick={work}>
            Work on it
          </Button>
        )}
        {current.draft === id && (
          <Button variant="default" onClick={() => current.choose('')}>
            Leave it for now
          </Button>
        )}
        {query.data && mayChange && <ThrowAway draft={query.data} />}
        {mayChange && changes.data && isValid && <Activate id={id} seen={changes.data} />}
      </PageHead>
      <Loaded query={query}>
        {(read) => (
          <Stack maw={960}>
            <Text size="sm" c="dimmed">
              Based on revision {read.value.base}; last changed by {read.value.changedBy}. What is in force stays as it
              is until this is activated.
            </Text>
            {read.value.isOutdated && <Outdated draft={read} />}
            <Loaded query={problems}>
              {({ problems: all }) =>
                all.length > 0 && (
                  <Alert
                    color="red"
                    title={all.length === 1 ? 'It has a fault' : `It has ${all.length} faults`}
                    styles={{ title: { color: 'var(--mantine-color-text)' } }}
                  >
                    <List size="sm">
                      {all.map(({ path, message, list, item, field }) => (
                        <List.Item key={`${path} ${message}`}>
                          {list && item !== undefined ? (
                            <Link
                              to={pathOf(list, item)}
                              onFollow={work}
                              size="sm"
                              c="var(--mantine-color-text)"
                              td="underline"
                            >
                              {item} {field}
                            </Link>
                          ) : (
                            <span className="mono">{path}</span>
                          )}{' '}
                          {message}
                        </List.Item>
                      ))}
                    </List>
                  </Alert>
                )
              }
            </Loaded>
            {isValid && (
              <section>
                <Title order={2} mb="sm">
                  What it changes
                </Title>
                <Loaded query={changes}>{({ value }) => <ChangeList changes={value.changes} onFollow={work} />}</Loaded>
              </section>
            )}
          </Stack>
        )}
      </Loaded>
    </>
  )
}

function Outdated({ draft: { value, etag } }: { readonly draft: Tagged<Draft> }) {
  const rebase = useRebaseDraft()
  const mayChange = useMay('administrator')
  const say = useSay()
  return (
    <Alert
      color="yellow"
      title="Another revision is in force than its base"
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      {rebase.error && <ProblemAlert problem={rebase.error} />}
      <Text size="sm">What it edited stays edited; what both sides changed is named then.</Text>
      {mayChange && (
        <Button
          mt="sm"
          size="xs"
          loading={rebase.isPending}
          onClick={() =>
            rebase.mutate(
              { draft: value.id, etag },
              {
                onSuccess: ({ base, conflicts }) =>
                  say(
                    `The draft is based on revision ${base} now.${
                      conflicts.length > 0
                        ? ` Both sides changed ${conflicts.map((item) => item.id).join(', ')}: the draft wins there.`
                        : ''
                    }`,
                  ),
              },
            )
          }
        >
          Put it on the revision in force
        </Button>
      )}
    </Alert>
  )
}

interface Seen {
  readonly active: number
  readonly changes: readonly Change[]
}

function Activate({ id, seen }: { readonly id: string; readonly seen: Tagged<Seen> }) {
  const [isOpen, setIsOpen] = useState(false)
  const [note, setNote] = useState('')
  const [force, setForce] = useState(false)
  const { mutateAsync, isPending, error } = useActivateDraft()
  const { choose } = useCurrentDraft()
  const say = useSay()
  const breaks = seen.value.changes.filter((change) => change.breaks !== undefined)
  // By the promise: with the draft this button is gone, and its own callbacks with it
  const activate = () =>
    mutateAsync({ draft: id, etag: seen.etag, note, force }).then(
      ({ revision }) => {
        choose('')
        say(`Revision ${revision} is in force.`)
        go('/revisions', { isSaved: true })
      },
      () => {}, // shown as error
    )
  return (
    <>
      <Button onClick={() => setIsOpen(true)} disabled={seen.value.changes.length === 0}>
        Activate
      </Button>
      <Dialog
        title="Put the draft in force?"
        isOpen={isOpen}
        action="Activate"
        isDangerous={breaks.length > 0}
        isDisabled={breaks.length > 0 && !force}
        isPending={isPending}
        error={error}
        onClose={() => setIsOpen(false)}
        onConfirm={() => void activate()}
      >
        <Text size="sm">It becomes the next revision, in force everywhere within a second.</Text>
        <TextInput
          label="Note"
          description="Left empty, the draft's title."
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          data-autofocus
        />
        {breaks.length > 0 && (
          <Checkbox
            label={`Clients would lose what they call: ${breaks.map((change) => change.id).join(', ')}. That is meant.`}
            checked={force}
            onChange={(event) => setForce(event.currentTarget.checked)}
          />
        )}
      </Dialog>
    </>
  )
}

function ThrowAway({ draft: { value, etag } }: { readonly draft: Tagged<Draft> }) {
  const [isOpen, setIsOpen] = useState(false)
  const { mutateAsync, isPending, error } = useDeleteDraft()
  const { draft, choose } = useCurrentDraft()
  const remove = () =>
    mutateAsync({ draft: value.id, etag }).then(
      () => {
        if (draft === value.id) choose('')
        go('/drafts', { isSaved: true })
      },
      () => {}, // shown as error
    )
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        Throw away
      </Button>
      <Dialog
        title="Throw the draft away?"
        isOpen={isOpen}
        action="Throw away"
        isDangerous
        isPending={isPending}
        error={error}
        onClose={() => setIsOpen(false)}
        onConfirm={() => void remove()}
      >
        <Text size="sm">What it edited is gone then. What is in force stays as it is.</Text>
      </Dialog>
    </>
  )
}
