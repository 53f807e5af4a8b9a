/** The router: every page, search and place in a list has a URL (specification 19.1). */
import { Anchor, type AnchorProps } from '@mantine/core'
import { type MouseEvent, type ReactNode, useEffect, useSyncExternalStore } from 'react'

const base = '/console'
const listeners = new Set<() => void>()
/** One token for each form with unsaved changes. */
const unsaved = new Set<symbol>()

export interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

/** Addresses of earlier versions, by their first part. */
export const moved = new Map([
  ['adoption', 'migration'],
  ['monitor', 'calls'],
  ['operators', 'callers'],
  ['overview', 'home'],
  ['rest-cache', 'cache'],
])

let known: { readonly href: string; readonly place: Place } | undefined

export function readPlace(): Place {
  const { pathname, search, href } = location
  if (known?.href !== href) {
    const [, first = '', ...rest] = pathname.slice(base.length).split('/')
    const path = `/${[moved.get(first) ?? first, ...rest].join('/')}`
    if (moved.has(first)) history.replaceState(null, '', base + path + search)
    known = { href: location.href, place: { path, query: new URLSearchParams(search) } }
  }
  return known.place
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function notify(): void {
  for (const listener of listeners) listener()
}

/** Back and forward: if leaving is refused, restores the URL of the page. */
addEventListener('popstate', () => {
  const left = known
  if (left && !mayLeave(location.pathname)) history.pushState(null, '', left.href)
  else notify()
})

/** Changes of query parameters on the same page lose nothing. */
function mayLeave(pathname: string): boolean {
  const isSame = known !== undefined && new URL(known.href).pathname === pathname
  if (isSame || unsaved.size === 0) return true
  if (!confirm('Leave without saving your changes?')) return false
  unsaved.clear()
  return true
}

/** Asks for confirmation if there are unsaved changes. */
export function mayLeaveAll(): boolean {
  return mayLeave('')
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, readPlace)
}

export interface GoOptions {
  /** Replaces the current entry of the browser's history. */
  readonly replaces?: boolean
  /** Skips the confirmation, because everything is saved. */
  readonly isSaved?: boolean
}

/** @param to a path with encoded ids */
export function go(to: string, { replaces = false, isSaved = false }: GoOptions = {}): void {
  if (!isSaved && !mayLeave(new URL(base + to, location.href).pathname)) return
  history[replaces ? 'replaceState' : 'pushState'](null, '', base + to)
  notify()
}

/** Asks for confirmation before leaving a page with unsaved changes. */
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

/** A query parameter; an empty value removes it. */
export function useParameter(name: string): readonly [string, (value: string) => void] {
  const { query } = usePlace()
  return [query.get(name) ?? '', (value) => setParameters({ [name]: value })]
}

/**
 * Sets several parameters. Resets a list to its first page, unless its place changes; only that adds to the history.
 */
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

/** Leads on from an address of earlier versions. */
export function Redirect({ to }: { readonly to: string }) {
  useEffect(() => go(to, { replaces: true }), [to])
  return null
}

export function hrefOf(to: string): string {
  return base + to
}

/** Handles clicks on a link, because the browser would reload the console. */
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
  /** Called before the page is left. */
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
