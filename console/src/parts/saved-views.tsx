/** Filters, sorting and place of a page under a name, which the browser keeps. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Link, moved, usePlace } from '../router.tsx'
import { keep, parseKept, useKept } from './kept.ts'

/** The name, and the query of the URL. */
type Views = Readonly<Record<string, string>>

/** Those of pages that had another address. */
for (const [before, after] of moved) {
  const views = localStorage.getItem(`views:/${before}`)
  if (views === null) continue
  localStorage.setItem(`views:/${after}`, views)
  localStorage.removeItem(`views:/${before}`)
}

function isViews(value: unknown): value is Views {
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string')
}

export function SavedViews({ onClose }: { onClose(): void }) {
  const { path, query } = usePlace()
  const place = `views:${path}`
  const views = parseKept(useKept(place), isViews) ?? {}
  const [name, setName] = useState('')
  const save = (event: FormEvent) => {
    event.preventDefault()
    keep(place, JSON.stringify({ ...views, [name.trim()]: query.toString() }))
    setName('')
  }
  const remove = (removed: string) => {
    const rest = Object.entries(views).filter(([each]) => each !== removed)
    keep(place, rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest)))
  }
  return (
    <Modal opened onClose={onClose} title="Saved views" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack>
        <Text size="sm" c="dimmed">
          A view is the filters and the sorting of this page, kept in this browser. To share one, send its URL.
        </Text>
        {Object.entries(views).map(([each, saved]) => (
          <Group key={each} justify="space-between" wrap="nowrap">
            <Link to={`${path}?${saved}`} onFollow={onClose} style={{ overflowWrap: 'anywhere' }}>
              {each}
            </Link>
            <Button size="xs" variant="default" aria-label={`Remove ${each}`} onClick={() => remove(each)}>
              Remove
            </Button>
          </Group>
        ))}
        <form onSubmit={save}>
          <Group align="flex-end">
            <TextInput
              label="Name"
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
              maxLength={60}
              required
              style={{ flexGrow: 1 }}
              data-autofocus
            />
            <Button type="submit" disabled={name.trim() === ''}>
              Save view
            </Button>
          </Group>
        </form>
      </Stack>
    </Modal>
  )
}
