/** Pass-through: what the editor and tables show of it. */
import { lazy } from 'react'
import type { Column } from '../../parts/column.ts'

const nodeColumns: readonly Column<{ readonly value: Readonly<Record<string, unknown>> }>[] = [
  {
    title: 'Upstream',
    isOnlyWide: true,
    value: ({ value }) => String((value.upstream as Readonly<Record<string, unknown>> | undefined)?.passThrough ?? ''),
  },
]

export const passThrough = {
  nodeColumns,
  handlerForms: { passThrough: lazy(() => import('./handler-form.tsx')) },
  states: { passedThrough: 'Passed through' },
}
