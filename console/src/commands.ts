/** The table of actions that the palette offers besides pages and items (specification 19.19). */
import { BookOpen, Braces, CircleUser, type LucideIcon, Plus } from 'lucide-react'
import type { Role } from './api/session.ts'
import { type ListName, lists, withArticle } from './lists.ts'

export interface Command {
  readonly title: string
  readonly icon: LucideIcon
  /** Other words that find it. */
  readonly words?: string
  /** Role that it requires; it is hidden from others. */
  readonly role?: Role
  /** A page of the console. */
  readonly to?: string
  /** Another page of the listener. */
  readonly href?: string
}

export const commands: readonly Command[] = [
  { title: 'Add an operator', icon: Plus, role: 'administrator', to: '/operators?add=yes', words: 'user profile' },
  ...(Object.keys(lists) as ListName[]).map(
    (list): Command => ({
      title: `Add ${withArticle(lists[list].one)}`,
      icon: Plus,
      role: 'administrator',
      to: `/${lists[list].path}/+new`,
    }),
  ),
  { title: 'Create an API token', icon: Plus, to: '/tokens?add=yes' },
  { title: 'Add an administrator', icon: Plus, role: 'administrator', to: '/administrators?add=yes' },
  { title: 'Your account', icon: CircleUser, to: '/account', words: 'password second factor passkey' },
  { title: 'Documentation', icon: BookOpen, href: '/docs/', words: 'help manual' },
  { title: 'API reference', icon: Braces, href: '/reference', words: 'openapi swagger' },
]
