/** Which page the address names; every page, and the search and page of a list, is an address (specification 19.3). */
import { Anchor, type AnchorProps } from '@mantine/core'
import { type MouseEvent, type ReactNode, useEffect, useSyncExternalStore } from 'react'

const base = '/console'
const listeners = new Set<() => void>()
/** Of each form that has something unsaved, a token. */
const unsaved = new Set<symbol>()

export interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

let known: { readonly href: string; readonly place: Place } | undefined

function readPlace(): Place {
  const { pathname, search, href } = location
  if (known?.href !== href) {
    known = { href, place: { path: pathname.slice(base.length) || '/', query: new URLSearchParams(search) } }
  }
  return known.place
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(): void {
  for (const listener of listeners) listener()
}

/** Back and forward: refused, the page that was left comes again, as it is. */
addEventListener('popstate', () => {
  const left = known
  if (left && !mayLeave(location.pathname)) history.pushState(null, '', left.href)
  else tell()
})

/** Another tab or another search of the same page loses nothing. */
function mayLeave(pathname: string): boolean {
  const isSame = known !== undefined && new URL(known.href).pathname === pathname
  if (isSame || unsaved.size === 0) return true
  if (!confirm('Leave without saving what you changed?')) return false
  unsaved.clear()
  return true
}

/** Asks, where leaving every page would lose what is not saved. */
export function mayLeaveAll(): boolean {
  return mayLeave('')
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, readPlace)
}

export interface GoOptions {
  /** Instead of the present entry of the browser's history. */
  readonly replaces?: boolean
  /** What was unsaved is saved now. */
  readonly isSaved?: boolean
}

/** @param to with each id in it encoded */
export function go(to: string, { replaces = false, isSaved = false }: GoOptions = {}): void {
  if (!isSaved && !mayLeave(new URL(base + to, location.href).pathname)) return
  history[replaces ? 'replaceState' : 'pushState'](null, '', base + to)
  tell()
}

/** Asks before the page is left while something is not saved. */
export function useUnsaved(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return
    const token = Symbol('unsaved')
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    unsaved.add(token)
    addEventListener('beforeunload', warn)
    return () => {
      unsaved.delete(token)
      removeEventListener('beforeunload', warn)
    }
  }, [isDirty])
}

/** A parameter of the address; what is empty does not stand there. */
export function useParameter(name: string): readonly [string, (value: string) => void] {
  const { query } = usePlace()
  return [query.get(name) ?? '', (value) => setParameters({ [name]: value })]
}

/** Several at once. A list begins anew, unless its place is what changes; only that is an entry of the browser's history. */
export function setParameters(changes: Readonly<Record<string, string>>): void {
  const { path, query } = readPlace()
  const isPlace = (name: string) => /offset$/i.test(name)
  const moves = Object.keys(changes).some(isPlace)
  const next = new URLSearchParams([...query].filter(([name]) => moves || !isPlace(name)))
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  go(text === '' ? path : `${path}?${text}`, { replaces: !moves })
}

export function hrefOf(to: string): string {
  return base + to
}

/** For what a browser itself must not do: it would load the console anew. */
export function onLink(to: string) {
  return (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    go(to)
  }
}

interface LinkProps extends AnchorProps {
  readonly to: string
  readonly children: ReactNode
  /** Before the page is left. */
  onFollow?(): void
}

export function Link({ to, children, onFollow, ...rest }: LinkProps) {
  const lead = onLink(to)
  const follow: typeof lead = (event) => {
    onFollow?.()
    lead(event)
  }
  return (
    <Anchor href={hrefOf(to)} onClick={follow} {...rest}>
      {children}
    </Anchor>
  )
}
