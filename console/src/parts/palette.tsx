/** Ctrl-K: pages, operations, callers, calls and actions by a few letters. */
import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import {
  Activity,
  CircleCheck,
  Clock,
  Keyboard,
  LogOut,
  type LucideIcon,
  Search,
  SunMoon,
  Users,
  Waypoints,
} from 'lucide-react'
import { useEffect, useLayoutEffect, useState } from 'react'
import { useOperations } from '../api/configuration.ts'
import { useLockOperator, useOperators } from '../api/operators.ts'
import { type Role, useMay, useSignOut } from '../api/session.ts'
import { commands, type ItemCommand, itemCommands } from '../commands.ts'
import { useCurrentDraft } from '../current-draft.tsx'
import { hasPage } from '../features.ts'
import { pathOf } from '../lists.ts'
import { pages } from '../pages.ts'
import { go, mayLeaveAll } from '../router.tsx'
import '@mantine/spotlight/styles.css'
import { useSchemes } from './schemes.ts'
import { useToast } from './toast.tsx'
import { typingPause } from './typing-pause.ts'
import { useZoneChoice } from './zone-choice.ts'

const [store, palette] = createSpotlight()

interface Entry {
  readonly title: string
  readonly icon: LucideIcon
  readonly words?: string | undefined
  readonly detail?: string | undefined
  run(): void
}

interface Props {
  onClose(): void
  onHelp(): void
}

export default function Palette({ onClose, onHelp }: Props) {
  const [query, setQuery] = useState('')
  const groups = useEntries(query, onHelp)
  useEffect(() => palette.open(), [])
  const first = groups[0]?.[1][0]?.title
  useLayoutEffect(() => {
    if (query !== '' && first !== undefined) selectFirst() // before anyone can see it and press Enter
  }, [query, first])
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      transitionProps={{ duration: 0 }}
      overlayProps={{ blur: 0, backgroundOpacity: 0.4 }}
      attributes={{ content: { 'aria-label': 'Find' } }}
      scrollable
      maxHeight="60vh"
    >
      <Spotlight.Search
        aria-label="Search pages, operations, callers, calls and actions"
        placeholder="Page, operation, caller, id of a call or action"
        leftSection={<Search size={18} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {groups.map(([label, entries]) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {entries.map((entry) => (
              <Spotlight.Action
                key={entry.title}
                label={entry.title}
                dimmedSections={false} // too little contrast on the selected one
                leftSection={<entry.icon size={17} aria-hidden />}
                rightSection={
                  entry.detail !== undefined && (
                    <Text size="xs" c="inherit" truncate maw={{ base: 120, sm: 220 }}>
                      {entry.detail}
                    </Text>
                  )
                }
                onClick={entry.run}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && <Spotlight.Empty>Nothing found.</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

/** Enter takes it. Spotlight does this only for entries that are there when the query changes. */
function selectFirst(): void {
  const state = store.getState()
  const list = document.getElementById(state.listId)
  const selected = list?.querySelector('[data-selected]')
  if (!list || (selected && state.selected > 0)) return // chosen by the arrow keys
  selected?.removeAttribute('data-selected')
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
  store.setState({ ...state, selected: 0 })
}

/** Items are searched from the first letter on. */
function useEntries(query: string, onHelp: () => void): readonly (readonly [string, readonly Entry[]])[] {
  const isOffered = useOffered()
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const isFound = ({ title, words: others = '' }: Pick<Entry, 'title' | 'words'>) =>
    words.every((word) => `${title} ${others}`.toLowerCase().includes(word))
  const found: readonly (readonly [string, readonly Entry[]])[] = [
    ['Calls', toTransaction(query.trim())],
    [
      'Pages',
      pages.filter(isOffered).map(({ title, icon, path, section, words = '' }) => ({
        ...entryTo(path, title, icon, section === title ? undefined : section),
        words: `${section} ${words}`,
      })),
    ],
    ...useItemEntries(query.trim(), itemCommands.filter(isOffered)),
    [
      'Actions',
      [
        ...useDraftEntries(),
        ...commands.filter(isOffered).map(({ title, icon, words, detail, to, href }) => ({
          title,
          icon,
          words,
          detail,
          run: () => (to === undefined ? void open(href, '_blank', 'noopener') : go(to)),
        })),
        ...useChoices(),
        { title: 'Keyboard shortcuts', icon: Keyboard, words: 'help', run: onHelp },
      ],
    ],
  ]
  return found
    .map(([label, entries]) => [label, isSearched(label) ? entries : entries.filter(isFound)] as const)
    .filter(([, entries]) => entries.length > 0)
}

/** Their entries were found by the API, or by the id. */
function isSearched(label: string): boolean {
  return ['Operations', 'Callers', 'Calls', 'Actions on items'].includes(label)
}

function useOffered() {
  const may = { administrator: useMay('administrator'), operator: useMay('operator'), viewer: true }
  return ({ role = 'viewer' }: { readonly role?: Role }) => may[role]
}

function entryTo(path: string, title: string, icon: LucideIcon, detail?: string): Entry {
  return { title, icon, detail, words: detail, run: () => go(path) }
}

function toTransaction(text: string): readonly Entry[] {
  if (!hasPage('/calls') || !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return []
  return [entryTo(`/calls/${text.toLowerCase()}`, text, Activity, 'Calls')]
}

function useItemEntries(
  query: string,
  offered: readonly ItemCommand[],
): readonly (readonly [string, readonly Entry[]])[] {
  const read = (typed: string) => {
    const command = offered.find((each) => each.typed.test(typed))
    return { command, text: command ? typed.replace(command.typed, '') : typed }
  }
  const { command, text } = read(query)
  const settled = read(useDebouncedValue(query, typingPause)[0])
  const search = settled.command === command ? settled.text : '' // what was found for `lock` says nothing of `lock gue`
  const isAsked = search !== ''
  const asked = { search, limit: 6 }
  const operations = useOperations(asked, isAsked).data?.items ?? []
  const operators = useOperators(asked, isAsked).data?.items ?? []
  const runOn = useItemCommand()
  if (!isAsked || text === '') return []
  if (command) {
    const ids = (command.of === 'operators' ? operators : operations).map(({ id }) => id)
    // Those of the letters before may still be shown
    const named = ids.filter((id) => id.toLowerCase().includes(text.toLowerCase()))
    return [
      [
        'Actions on items',
        named.map((id) => ({ title: command.title(id), icon: command.icon, run: () => runOn(command, id) })),
      ],
    ]
  }
  return [
    [
      'Operations',
      operations.map(({ id, value }) => entryTo(pathOf('operations', id), id, Waypoints, value.description)),
    ],
    [
      'Callers',
      operators.map(({ id, description }) =>
        entryTo(`/callers/${encodeURIComponent(id)}`, id, Users, description || undefined),
      ),
    ],
  ]
}

function useItemCommand() {
  const { mutateAsync } = useLockOperator()
  const toast = useToast()
  return ({ to, isLocked }: ItemCommand, id: string) => {
    if (to) return go(to(id))
    if (isLocked === undefined) return
    // Awaits the promise, because callbacks end with the palette
    mutateAsync({ id, isLocked }).then(
      () => toast(`${id} ${isLocked ? 'locked' : 'unlocked'}.`),
      (error: Error) => toast(`${id} was not ${isLocked ? 'locked' : 'unlocked'}: ${error.message}`),
    )
  }
}

/** The page of the draft shows its changes, and asks there. */
function useDraftEntries(): readonly Entry[] {
  const { draft, title } = useCurrentDraft()
  if (!useMay('administrator') || draft === '' || title === undefined) return []
  const to = `/drafts/${encodeURIComponent(draft)}`
  return [entryTo(to, 'Activate the draft', CircleCheck, title)]
}

function useChoices(): readonly Entry[] {
  const { other, toggle } = useSchemes()
  const zone = useZoneChoice()
  const signOut = useSignOut()
  return [
    { title: `Use ${other} colours`, icon: SunMoon, words: 'theme mode', run: toggle },
    { title: `Show times in ${zone.other}`, icon: Clock, words: 'zone', run: zone.toggle },
    { title: 'Sign out', icon: LogOut, words: 'log out leave', run: () => mayLeaveAll() && signOut.mutate() },
  ]
}
