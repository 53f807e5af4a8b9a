/** Guarded listeners: their list in the configuration. */
import { ShieldCheck } from 'lucide-react'
import type { ListFacts } from '../../list-facts.ts'
import { listPage } from '../../list-page.ts'
import type { Column } from '../../parts/column.ts'

const facts: ListFacts = {
  path: 'listeners',
  one: 'listener',
  many: 'Listeners',
  help: 'Other listeners of the original, of which only listed calls get through.',
  isUnnamed: true,
  start: { connector: 'HttpListeningConnector', passThrough: '', verification: 'Basic', allow: [] },
}

const columns: readonly Column<{ readonly value: Readonly<Record<string, unknown>> }>[] = [
  { title: 'Original', isOnlyWide: true, value: ({ value }) => String(value.passThrough ?? '') },
  { title: 'Allowed calls', value: ({ value }) => String(Array.isArray(value.allow) ? value.allow.length : 0) },
]

export const listeners = {
  pages: [listPage('listeners', facts, 'Settings', ShieldCheck)],
  lists: { listeners: facts },
  columns: { listeners: columns },
}
