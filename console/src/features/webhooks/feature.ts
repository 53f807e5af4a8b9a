/** The page of webhooks. */
import { Webhook } from 'lucide-react'
import { later, type Page } from '../../page.ts'

const pages: readonly Page[] = [
  {
    path: '/webhooks',
    title: 'Webhooks',
    icon: Webhook,
    section: 'Settings',
    show: later(() => import('./webhooks.tsx')),
  },
]

export const webhooks = { pages }
