/** A page of the console, a row in the table of pages. */
import type { LucideIcon } from 'lucide-react'
import { type ComponentType, type LazyExoticComponent, lazy, type ReactNode } from 'react'
import type { Role } from './api/session.ts'
import type { Tone } from './theme.ts'

export interface PageProps {
  /** The rest of the path after the page's own; empty for a list. */
  readonly id: string
}

/** The navigation: entries, in groups. An entry without pages is left out. */
export const navigation = [
  ['Home', 'Calls', 'Alerts'],
  ['Operations', 'Schemas', 'Jobs', 'Limits', 'Cache'],
  ['Callers', 'Permissions', 'Identity providers'],
  ['Changes'],
  ['Migration', 'Instances', 'Audit', 'Team', 'Settings'],
] as const
export type Section = (typeof navigation)[number][number]

export interface Page {
  readonly path: string
  readonly title: string
  readonly icon: LucideIcon
  /** The entry of the navigation under which the page is a tab; undefined for a page that is in none. */
  readonly section: Section | undefined
  /** Other words by which Find finds the page. */
  readonly words?: string
  /** Role that the page requires; it is hidden from others. */
  readonly role?: Role
  /** Whether only Find and links lead to the page, and no tab. */
  readonly isUnlisted?: boolean
  /** Whether the page is listed only while calls can pass through to the original. */
  readonly isOfMigration?: boolean
  /** Whether the rest of the path names an item. */
  readonly hasItems?: boolean
  /** The list stays below its items: it keeps its scroll position, and moves the focus. */
  readonly staysBelow?: boolean
  /** Shown beside its entry in the navigation. */
  readonly count?: PageCount
  readonly show: LazyPart<PageProps>
}

export interface PageCount {
  /** `alert` */
  readonly one: string
  readonly tone: Tone
  /** A hook. @returns 0 if there is nothing to show */
  useCount(): number
}

/** Calls that a page shows besides its own. */
export interface CallsOf {
  readonly query: { readonly operator: string } | { readonly operation: string }
  /** `of this operator` */
  readonly ofWhom: string
}

/** What an operation is, in its settings. */
export interface OperationFactsProps {
  readonly operation: string
  readonly value: Readonly<Record<string, unknown>>
}

export interface CallersOf {
  readonly operation: string
  /** Shown instead if the feature is off. */
  readonly children: ReactNode
}

export interface LazyPart<Props> extends LazyExoticComponent<ComponentType<Props>> {
  load(): Promise<unknown>
}

/** A component that is loaded when it is shown, or before that by `load`. */
export function later<Props>(load: () => Promise<{ readonly default: ComponentType<Props> }>): LazyPart<Props> {
  return Object.assign(lazy(load), { load })
}
