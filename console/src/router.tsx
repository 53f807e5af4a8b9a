/** Which page the address names; every page, and the search and page of a list, is an address (specification 19.3). */
import { Anchor, type AnchorProps } from '@mantine/core'
import { type MouseEvent, type ReactNode, useEffect, useSyncExternalStore } from 'react'

const base = '/console'
const listeners = new Set<() => void>()
let isUnsaved = false

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
  addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('popstate', listener)
  }
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
  if (isUnsaved && !isSaved && !confirm('Leave without saving what you changed?')) return
  isUnsaved = false
  history[replaces ? 'replaceState' : 'pushState'](null, '', base + to)
  for (const listener of listeners) listener()
}

/** Asks before the page is left while something is not saved. */
export function useUnsaved(isDirty: boolean): void {
  useEffect(() => {
    isUnsaved = isDirty
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    if (isDirty) addEventListener('beforeunload', warn)
    return () => {
      isUnsaved = false
      removeEventListener('beforeunload', warn)
    }
  }, [isDirty])
}

/** A parameter of the address; what is empty does not stand there. */
export function useParameter(name: string): readonly [string, (value: string) => void] {
  const { path, query } = usePlace()
  const set = (value: string) => {
    const next = new URLSearchParams(query)
    if (value === '') next.delete(name)
    else next.set(name, value)
    if (name !== 'offset') next.delete('offset')
    const text = next.toString()
    go(text === '' ? path : `${path}?${text}`, { replaces: true })
  }
  return [query.get(name) ?? '', set]
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

export function Link({ to, children, ...rest }: AnchorProps & { readonly to: string; readonly children: ReactNode }) {
  return (
    <Anchor href={hrefOf(to)} onClick={onLink(to)} {...rest}>
      {children}
    </Anchor>
  )
}
