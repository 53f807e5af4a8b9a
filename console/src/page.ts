/** A page of the console, as the table of pages has it. */
import type { ComponentType, LazyExoticComponent } from 'react'
import type { Role } from './api/session.ts'

export interface PageProps {
  /** What the path has after the page's own; of a list, empty. */
  readonly id: string
}

export interface Page {
  readonly path: string
  readonly title: string
  /** Undefined: it is not in the navigation. */
  readonly group: 'Configuration' | 'Security' | 'Running' | 'Administration' | undefined
  /** Who lacks it is not offered the page. */
  readonly role?: Role
  /** What its path has after it names one of its items; a page without has nothing there. */
  readonly hasItems?: boolean
  /** An item opens above the page, which stays where it is. */
  readonly staysBelow?: boolean
  readonly show: LazyExoticComponent<ComponentType<PageProps>>
}
