/** One draft: its faults, what it would change for callers, and what becomes of it. */
import { Alert, Button, List, Stack, Text, Title } from '@mantine/core'
import type { Tagged } from '../../api/client.ts'
import { type Draft, useDraft, useDraftChanges, useDraftProblems, useRebaseDraft } from '../../api/drafts.ts'
import { useMay } from '../../api/session.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import { pathOf } from '../../lists.ts'
import { ChangeList } from '../../parts/change-list.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemAlert } from '../../parts/problem-alert.tsx'
import { useSay } from '../../parts/say.tsx'
import { Link } from '../../router.tsx'
import { Activate, Rename, ThrowAway } from './draft-actions.tsx'

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
        {query.data && mayChange && <Rename draft={query.data} />}
        {query.data && mayChange && <ThrowAway draft={query.data} />}
        {mayChange && changes.data && isValid && query.data?.value.isOutdated === false && (
          <Activate id={id} seen={changes.data} />
        )}
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
      <Text size="sm">
        Put on it, the draft can be activated. What was edited here stays; what both sides changed is named.
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
