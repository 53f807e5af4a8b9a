/** One draft: its errors or its changes, and its actions. */
import { Alert, Button, List, Stack, Text, Title } from '@mantine/core'
import type { TaggedValue } from '../../api/client.ts'
import {
  type Change,
  type Draft,
  useDraft,
  useDraftChanges,
  useDraftProblems,
  useRebaseDraft,
} from '../../api/drafts.ts'
import { useMay } from '../../api/session.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import { pathOf } from '../../lists.ts'
import { nameField, tabOf } from '../../name-field.ts'
import { ChangeList } from '../../parts/change-list.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemAlert } from '../../parts/problem-alert.tsx'
import { useToast } from '../../parts/toast.tsx'
import { go, Link } from '../../router.tsx'
import { Activate, Discard, Rename } from './draft-actions.tsx'
import { Replay } from './replay.tsx'

export function DraftPage({ id }: { readonly id: string }) {
  const query = useDraft(id)
  const problems = useDraftProblems(id)
  const isValid = problems.data?.isValid ?? false
  const changes = useDraftChanges(id, isValid)
  const current = useCurrentDraft()
  const mayChange = useMay('administrator')
  const work = () => current.choose(id) // the link opens the item in this draft
  return (
    <>
      <PageHead item={query.data?.value.title ?? 'Draft'}>
        {query.data && current.draft !== id && (
          <Button variant="default" onClick={work}>
            Edit this draft
          </Button>
        )}
        {current.draft === id && (
          <Button variant="default" onClick={() => current.choose('')}>
            Stop editing
          </Button>
        )}
        {query.data && mayChange && <Rename draft={query.data} />}
        {query.data && mayChange && <Discard draft={query.data} />}
        {mayChange && isValid && (
          <Button variant="default" onClick={() => go(tryPath(id, changes.data?.value.changes))}>
            Try this draft
          </Button>
        )}
      </PageHead>
      <Loaded query={query}>
        {(read) => (
          <Stack maw={960}>
            <Text size="sm" c="dimmed">
              Based on revision {read.value.base}; last changed by {read.value.changedBy}. The active configuration does
              not change until you activate the draft.
            </Text>
            {read.value.isOutdated && <Outdated draft={read} />}
            <Loaded query={problems}>
              {({ problems: all }) =>
                all.length > 0 && (
                  <Alert
                    color="red"
                    title={all.length === 1 ? 'The draft has an error' : `The draft has ${all.length} errors`}
                    styles={{ title: { color: 'var(--mantine-color-text)' } }}
                  >
                    <List size="sm">
                      {all.map(({ path, message, list, item, field }) => (
                        <List.Item key={`${path} ${message}`}>
                          {list && item !== undefined ? (
                            <Link
                              to={`${pathOf(list, item)}${queryOf(tabOf(list, field ?? '')?.name)}`}
                              onFollow={work}
                              size="sm"
                              c="var(--mantine-color-text)"
                              td="underline"
                            >
                              {item} {field && nameField(list, field)}
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
            {isValid && <Replay id={id} version={read.value.version} />}
            {isValid && (
              <section>
                <Title order={2} mb="sm">
                  Changes
                </Title>
                <Loaded query={changes}>{({ value }) => <ChangeList changes={value.changes} onFollow={work} />}</Loaded>
              </section>
            )}
            {mayChange && changes.data && isValid && !read.value.isOutdated && (
              <Activate id={id} title={read.value.title} seen={changes.data} />
            )}
          </Stack>
        )}
      </Loaded>
    </>
  )
}

/** The first tab has no name in an address. */
const queryOf = (tab: string | undefined) => (tab === undefined ? '' : `?tab=${tab}`)

function Outdated({ draft: { value, etag } }: { readonly draft: TaggedValue<Draft> }) {
  const rebase = useRebaseDraft()
  const mayChange = useMay('administrator')
  const toast = useToast()
  return (
    <Alert
      color="yellow"
      title="The draft is based on an older revision"
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      {rebase.error && <ProblemAlert problem={rebase.error} />}
      <Text size="sm">
        Rebase the draft to activate it. Your edits are kept, and items that both sides changed are listed.
      </Text>
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
                  toast(
                    `The draft is now based on revision ${base}.${
                      conflicts.length > 0
                        ? ` Both sides changed ${conflicts.map((item) => item.id).join(', ')}: the draft's version is kept.`
                        : ''
                    }`,
                  ),
              },
            )
          }
        >
          Rebase on the active revision
        </Button>
      )}
    </Alert>
  )
}

/** The page *Try it* of the draft, with the operation if the draft adds or changes only one. */
function tryPath(draft: string, changes: readonly Change[] = []): string {
  const changed = changes.filter(({ list, kind }) => list === 'operations' && kind !== 'removed')
  const [only] = changed.length === 1 ? changed : []
  return `/try?${new URLSearchParams({ draft, ...(only && { operation: only.id }) })}`
}
