/** Session tokens: the page of their keys, and revoking on an operator's page. */
import { KeyRound } from 'lucide-react'
import { type LazyPart, later, type Page } from '../../page.ts'

const pages: readonly Page[] = [
  {
    path: '/session-token-keys',
    title: 'Session token keys',
    icon: KeyRound,
    section: 'Identity providers',
    show: later(() => import('./page.tsx')),
  },
]

const operatorActions: readonly LazyPart<{ readonly id: string }>[] = [later(() => import('./revoke-tokens.tsx'))]

export const sessionTokens = { pages, operatorActions }
