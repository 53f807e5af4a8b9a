/**
 * A form with a Save button. It sends the ETag of the version it started from; if someone else saved first, it shows
 * both versions (specification 18.17, 19.6).
 */
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { Problem } from '../api/client.ts'
import { useUnsaved } from '../router.tsx'
import { ConflictDialog } from './conflict.tsx'
import { NotSaved } from './not-saved.tsx'
import { useToast } from './toast.tsx'

export interface SavedFields<Fields> {
  readonly fields: Fields
  readonly etag: string
}

export interface FormState<Fields> {
  readonly fields: Fields
  readonly error: Error | null
  set(change: Partial<Fields>): void
}

interface EditedFields<Fields> extends SavedFields<Fields> {
  /** The values before editing. */
  readonly seen: Fields
}

interface Props<Fields> {
  readonly title: string
  readonly hint?: string
  readonly saved: SavedFields<Fields>
  readonly isReadOnly: boolean
  save(fields: Fields, etag: string): Promise<unknown>
  reread(): Promise<SavedFields<Fields> | undefined>
  children(editing: FormState<Fields>): ReactNode
}

export function SavedPart<Fields extends Readonly<Record<string, unknown>>>(props: Props<Fields>) {
  const { title, hint, saved, isReadOnly, save, reread, children } = props
  const [edited, setEdited] = useState<EditedFields<Fields>>()
  const latest = useRef(edited)
  latest.current = edited
  const [error, setError] = useState<Error | null>(null)
  const [isPending, setIsPending] = useState(false)
  const [theirs, setTheirs] = useState<{ readonly now?: SavedFields<Fields> | undefined }>()
  const toast = useToast()
  useUnsaved(edited !== undefined)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!edited) return
    setIsPending(true)
    setError(null)
    try {
      const now = await saveOver(edited)
      if (now) return setTheirs(now)
      if (latest.current === edited || !latest.current) {
        setEdited(undefined)
        return toast('Saved.')
      }
      const { fields: seen, etag } = (await reread()) ?? edited
      if (isSame(seen, edited.fields)) setEdited((newer) => newer && { fields: newer.fields, seen, etag })
      toast('Saved, except changes made while saving.')
    } catch (failure) {
      setError(failure as Error)
    } finally {
      setIsPending(false)
    }
  }
  /** @returns the version that someone else saved, if these fields differ from what was shown */
  const saveOver = async ({ fields, seen, etag }: EditedFields<Fields>) => {
    try {
      await save(fields, etag)
    } catch (failure) {
      if (!(failure instanceof Problem) || failure.code !== 'preconditionFailed') throw failure
      const now = await reread()
      if (!now || !isSame(now.fields, seen)) return { now }
      await save(fields, now.etag)
    }
    return undefined
  }
  // Keeps the ETag of the version that editing started from
  const set = (change: Partial<Fields>) =>
    setEdited((before) => {
      const { fields, seen, etag } = before ?? { ...saved, seen: saved.fields }
      return { fields: { ...fields, ...change }, seen, etag }
    })
  const discard = () => {
    setEdited(undefined)
    setError(null)
  }
  return (
    <Paper withBorder p="md" component="section">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <div>
            <Title order={2}>{title}</Title>
            {hint !== undefined && (
              <Text size="sm" c="dimmed">
                {hint}
              </Text>
            )}
          </div>
          {error && <NotSaved error={error} />}
          {children({ fields: (edited ?? saved).fields, error, set })}
          {!isReadOnly && edited && (
            <Group gap="xs">
              <Button type="submit" loading={isPending}>
                Save
              </Button>
              <Button variant="default" onClick={discard}>
                Discard
              </Button>
            </Group>
          )}
        </Stack>
      </form>
      {theirs && edited && (
        <ConflictDialog
          mine={edited.fields}
          theirs={theirs.now?.fields}
          onTakeTheirs={() => {
            setTheirs(undefined)
            discard()
          }}
          onKeepMine={() => {
            if (theirs.now) setEdited({ fields: edited.fields, seen: theirs.now.fields, etag: theirs.now.etag })
            setTheirs(undefined)
          }}
        />
      )}
    </Paper>
  )
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
