/** The tables of actions that the palette offers besides pages and items. */
import {
  BookOpen,
  Braces,
  CircleUser,
  DatabaseZap,
  History,
  Lock,
  LockOpen,
  type LucideIcon,
  Play,
  Plus,
} from 'lucide-react'
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
  readonly detail?: string
}

/** What the palette does with an item: what is typed before its name. */
export interface ItemCommand {
  readonly typed: RegExp
  readonly of: 'operators' | 'operations'
  readonly icon: LucideIcon
  readonly role?: Role
  title(id: string): string
  /** Where the page asks, or does it. */
  to?(id: string): string
  /** The state that an operator gets at once, as by the button of its page. */
  readonly isLocked?: boolean
}

export const itemCommands: readonly ItemCommand[] = [
  { typed: /^lock\s+/i, of: 'operators', icon: Lock, role: 'operator', title: (id) => `Lock ${id}`, isLocked: true },
  {
    typed: /^unlock\s+/i,
    of: 'operators',
    icon: LockOpen,
    role: 'operator',
    title: (id) => `Unlock ${id}`,
    isLocked: false,
  },
  {
    typed: /^clear\s+(the\s+)?cache\s+(of\s+)?/i,
    of: 'operations',
    icon: DatabaseZap,
    role: 'operator',
    title: (id) => `Clear the cache of ${id}`,
    to: (id) => `/cache?operation=${encodeURIComponent(id)}&clear=yes`,
  },
  {
    typed: /^try\s+/i,
    of: 'operations',
    icon: Play,
    title: (id) => `Try ${id}`,
    to: (id) => `/try?operation=${encodeURIComponent(id)}`,
  },
]

export const commands: readonly Command[] = [
  { title: 'Add a caller', icon: Plus, role: 'administrator', to: '/callers?add=yes', words: 'operator user profile' },
  ...(Object.keys(lists) as ListName[]).map(
    (list): Command => ({
      title: `Add ${withArticle(lists[list].one)}`,
      icon: Plus,
      role: 'administrator',
      to: `/${lists[list].path}/+new`,
    }),
  ),
  {
    title: 'Lock a caller',
    icon: Lock,
    role: 'operator',
    to: '/callers',
    words: 'operator unlock',
    detail: 'lock <name>',
  },
  {
    title: 'Clear the cache of an operation',
    icon: DatabaseZap,
    role: 'operator',
    to: '/cache',
    words: 'rest delete',
    detail: 'clear cache <name>',
  },
  {
    title: 'Roll back to a revision',
    icon: History,
    role: 'administrator',
    to: '/changes?kind=revision',
    words: 'undo activate',
  },
  { title: 'Create an API token', icon: Plus, to: '/tokens?add=yes' },
  { title: 'Add an administrator', icon: Plus, role: 'administrator', to: '/administrators?add=yes' },
  { title: 'Your account', icon: CircleUser, to: '/account', words: 'password second factor passkey' },
  { title: 'Documentation', icon: BookOpen, href: '/docs/', words: 'help manual' },
  { title: 'API reference', icon: Braces, href: '/reference', words: 'openapi swagger' },
]
