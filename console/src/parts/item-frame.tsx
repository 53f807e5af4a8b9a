/** The frame of an item's form: why it is read-only, state in the draft, saving, conflicts. */
import { Alert, Button, Group, Paper, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { operationIdOf } from '../../../src/model/operation-name.ts'
import { type FieldProblem, Problem } from '../api/client.ts'
import { fields } from '../api/fields.ts'
import { type ListName, lists, type Value } from '../lists.ts'
import { covers } from '../operation-tabs.ts'
import type { Alongside, ItemEditing } from '../use-item-editing.ts'
import { Dialog } from './confirm.tsx'
import { ConflictDialog } from './conflict.tsx'
import { FieldError } from './elements.tsx'
import { Holders } from './holders.tsx'
import { Loaded } from './loaded.tsx'
import { NotSaved } from './not-saved.tsx'
import { PageHead } from './page-head.tsx'
import { StateBadge } from './state-badge.tsx'
import { UsedBy } from './used-by.tsx'

interface Props {
  readonly list: ListName
  readonly editing: ItemEditing
  readonly alongside?: Alongside
  /** The first error is not in the part of the form that is shown. */
  onHiddenError?(): void
  /** Below the heading. */
  readonly tabs?: ReactNode
  /** Shown instead of the form, whose unsaved input stays. */
  readonly view?: ReactNode
  /** More actions. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function ItemFrame({ list, editing, alongside, onHiddenError, actions, tabs, view, children }: Props) {
  const { id, isNew, query, state, whyReadOnly, isPending, error, mine, theirs } = editing
  const isEdited = editing.isEdited || alongside?.isEdited === true
  const { one } = lists[list]
  const [isAsked, setIsAsked] = useState(false)
  const fullName = list === 'operations' && isEdited ? fullNameOf(editing.value) : undefined
  const mayEdit = whyReadOnly === undefined
  // Unsaved input stays even if the original item fails to load
  const shown =
    (isNew || isEdited) && query.data === undefined ? { data: {}, error: null, refetch: query.refetch } : query
  const form = useRef<HTMLFormElement>(null)
  const isSaving = useRef(false)
  const save = (isReviewed: boolean) => {
    isSaving.current = true
    void editing.save({ alongside, isReviewed })
  }
  useEffect(() => {
    if (!isSaving.current) return
    if (focusFirstError(form.current)) isSaving.current = false
    else if (error instanceof Problem && error.problems.length > 0) onHiddenError?.()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save(false)
  }
  useEffect(() => {
    if (!isNew) return
    const frame = requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-required]')?.focus())
    return () => cancelAnimationFrame(frame)
  }, [isNew])
  const body = (
    <form ref={form} onSubmit={submit} onInput={() => void (isSaving.current = false)}>
      <Stack>
        {whyReadOnly !== undefined && (
          <Alert color="gray" role="status">
            {whyReadOnly}
          </Alert>
        )}
        {error && <NotSaved error={error} list={list} />}
        <Unplaced list={list} problems={editing.problems} />
        {children}
        {mayEdit && (isEdited || isNew) && (
          <Paper withBorder p="sm" pos="sticky" bottom={8} style={{ zIndex: 5 }}>
            <Group gap="xs">
              <Button type="submit" loading={isPending}>
                Save to draft
              </Button>
              <Button variant="default" loading={isPending} onClick={() => save(true)}>
                Save and review
              </Button>
              {isEdited && (
                <Button variant="subtle" onClick={editing.discard}>
                  Discard
                </Button>
              )}
            </Group>
          </Paper>
        )}
      </Stack>
    </form>
  )
  return (
    <>
      <PageHead item={isNew ? `New ${one}` : id} detail={fullName !== id ? fullName : undefined}>
        <StateBadge state={state} />
        {shown.error === null && actions /* from the start: they would push down what is below */}
        {editing.isInDraft && state !== 'unchanged' && (
          <Button variant="default" onClick={() => void editing.revert()} loading={isPending}>
            Revert
          </Button>
        )}
        {mayEdit && !isNew && shown.error === null && (
          <Button variant="default" onClick={() => setIsAsked(true)}>
            Remove
          </Button>
        )}
      </PageHead>
      {tabs}
      {view ?? (
        <Loaded query={shown}>
          {() => (
            <div className="form-page">
              {body}
              <div className="facts">{!isNew && <Uses list={list} id={id} />}</div>
            </div>
          )}
        </Loaded>
      )}
      <Dialog
        title={`Remove ${id}?`}
        isOpen={isAsked}
        action="Remove"
        isDangerous
        isPending={isPending}
        error={null}
        onClose={() => setIsAsked(false)}
        onConfirm={() => void editing.remove().then(() => setIsAsked(false))}
      >
        The draft removes it. The active configuration does not change until the draft is activated.
      </Dialog>
      {theirs && mine && (
        <ConflictDialog
          mine={mine}
          theirs={theirs.value}
          list={list}
          onTakeTheirs={editing.discard}
          onKeepMine={editing.keepMine}
        />
      )}
    </>
  )
}

/** Errors of no field of the form. */
function Unplaced({ list, problems }: { readonly list: ListName; readonly problems: readonly FieldProblem[] }) {
  const isPlaced = (path: string) => fields[list].some((own) => covers(own.path, path))
  const rest = problems.filter(({ path }) => !isPlaced(path))
  return rest.map(({ path, message }) => <FieldError key={`${path} ${message}`} text={`${path} ${message}`.trim()} />)
}

/** @returns whether there is one */
function focusFirstError(form: HTMLElement | null): boolean {
  const field = form?.querySelector('.mantine-InputWrapper-error')?.parentElement
  field?.querySelector<HTMLElement>('input, textarea')?.focus()
  return field !== undefined && field !== null
}

/** What the operation will be called: the parts of its name are edited in several fields. */
function fullNameOf({ name, method, version = 'v1' }: Value): string | undefined {
  if (typeof name !== 'string' || name === '') return undefined
  return operationIdOf({ name, method: String(method), version: String(version) })
}

function Uses({ list, id }: { readonly list: ListName; readonly id: string }) {
  return (
    <>
      {list === 'permissionLists' && <Holders permissionList={id} />}
      {!lists[list].isUnnamed && <UsedBy list={list} id={id} />}
    </>
  )
}
