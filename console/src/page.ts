/** A page of the console, a row in the table of pages. */
import type { LucideIcon } from 'lucide-react'
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { Role } from './api/session.ts'

export interface PageProps {
  /** The rest of the path after the page's own; empty for a list. */
  readonly id: string
}

export interface Page {
  readonly path: string
  readonly title: string
  readonly icon: LucideIcon
  /** Undefined for a page that is not in the navigation. */
  readonly group: 'Configuration' | 'Security' | 'Running' | 'Administration' | undefined
  /** Role that the page requires; it is hidden from others. */
  readonly role?: Role
  /** Whether the page comes before the other pages of its group. */
  readonly isFirst?: boolean
  /** Whether the rest of the path names an item. */
  readonly hasItems?: boolean
  /** An item opens above the page, which keeps its scroll position. */
  readonly staysBelow?: boolean
  readonly show: LazyPart<PageProps>
}

/** Calls that a page shows besides its own. */
export interface CallsOf {
  readonly query: { readonly operator: string } | { readonly operation: string }
  /** `of this operator` */
  readonly ofWhom: string
}

export interface LazyPart<Props> extends LazyExoticComponent<ComponentType<Props>> {
  load(): Promise<unknown>
}

/** A component that is loaded when it is shown, or before that by `load`. */
export function later<Props>(load: () => Promise<{ readonly default: ComponentType<Props> }>): LazyPart<Props> {
  return Object.assign(lazy(load), { load })
}
