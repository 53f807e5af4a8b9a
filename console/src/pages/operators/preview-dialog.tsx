/** A dialog for changes of many operators: it shows them first, and stores them after that (specification 37.12). */
import { List, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { OperatorChanges } from '../../api/operators.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { useToast } from '../../parts/toast.tsx'

const maxShown = 100

interface Props<Body extends object> {
  readonly title: string
  /** Undefined while it is incomplete. */
  readonly body: Body | undefined
  readonly children: ReactNode
  /** A mutation of the API. */
  readonly change: {
    readonly isPending: boolean
    readonly error: Error | null
    mutate(
      body: Body & { readonly dryRun: boolean },
      options: { onSuccess(changes: OperatorChanges, sent: { readonly dryRun: boolean }): void },
    ): void
  }
  onClose(): void
}

export function PreviewDialog<Body extends object>({ title, body, children, change, onClose }: Props<Body>) {
  const [previewed, setPreviewed] = useState<{ readonly of: string; readonly changes: OperatorChanges }>()
  const toast = useToast()
  const of = JSON.stringify(body)
  const changes = previewed && previewed.of === of ? previewed.changes : undefined
  const send = () =>
    body &&
    change.mutate(
      { ...body, dryRun: !changes },
      {
        onSuccess(answer, { dryRun }) {
          if (dryRun) return setPreviewed({ of, changes: answer })
          onClose()
          toast(`${answer.added} added, ${answer.changed} changed.`)
        },
      },
    )
  return (
    <Dialog
      title={title}
      isOpen
      size="lg"
      action={changes ? 'Store' : 'Preview'}
      isPending={change.isPending}
      isDisabled={body === undefined || changes?.changes.length === 0}
      error={change.error}
      onClose={onClose}
      onConfirm={send}
    >
      {children}
      {changes && <Changes {...changes} />}
    </Dialog>
  )
}

function Changes({ added, changed, changes }: OperatorChanges) {
  return (
    <section aria-label="Changes">
      <Text size="sm" role="status">
        {changes.length === 0 ? 'Nothing would change.' : `${added} would be added, ${changed} changed.`}
      </Text>
      <List size="sm" mt="xs">
        {changes.slice(0, maxShown).map((change) => (
          <List.Item key={change.id} style={{ overflowWrap: 'anywhere' }}>
            {change.kind === 'added' ? 'Add' : 'Change'} <span className="mono">{change.id}</span>
            {describe(change)}
          </List.Item>
        ))}
      </List>
      {changes.length > maxShown && <Text size="sm">and {changes.length - maxShown} more</Text>}
    </section>
  )
}

function describe({ after, gains, loses }: OperatorChanges['changes'][number]): string {
  const fields = Object.keys(after).filter((field) => field !== 'permissionLists')
  const facts = [...fields, ...gains.map((name) => `+${name}`), ...loses.map((name) => `-${name}`)]
  return facts.length > 0 ? `: ${facts.join(', ')}` : ''
}
