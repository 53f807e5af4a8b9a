/** Session tokens: the page of their keys, the keys of other gateways, and revoking on an operator's page. */
import { KeyRound } from 'lucide-react'
import type { Field } from '../../field.ts'
import { type LazyPart, later, type Page } from '../../page.ts'

const pages: readonly Page[] = [
  {
    path: '/session-token-keys',
    title: 'Session token keys',
    icon: KeyRound,
    group: 'Security',
    show: later(() => import('./page.tsx')),
  },
]

const nodeFields: readonly Field[] = [
  {
    path: 'sessionTokenKeys',
    label: 'Session token keys',
    kind: 'lines',
    help: 'Public keys of another gateway, one per line: its session tokens for this node are accepted',
  },
]

const operatorActions: readonly LazyPart<{ readonly id: string }>[] = [later(() => import('./revoke-tokens.tsx'))]

export const sessionTokens = { pages, nodeFields, operatorActions }
