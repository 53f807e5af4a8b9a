/** Pass-through: what the editor and tables show of it. */
import { lazy } from 'react'
import { verificationNames } from '../../../../src/model/verification.ts'
import type { Field } from '../../field.ts'
import type { Column } from '../../parts/column.ts'

const nodeFields: readonly Field[] = [
  {
    path: 'upstream.passThrough',
    label: 'Upstream',
    kind: 'text',
    help: 'URL of another server that answers operations of this node that this gateway does not have',
  },
  {
    path: 'upstream.verification',
    label: 'Verification of these operations',
    kind: 'select',
    options: verificationNames,
    help: 'How callers of operations that are passed on authenticate',
  },
  {
    path: 'upstream.permissionLists',
    label: 'Permission lists of these operations',
    kind: 'references',
    of: 'permissionLists',
    help: 'Holders of these lists may call operations that are passed on',
  },
  {
    path: 'upstream.credentials',
    label: 'Credentials for the upstream',
    kind: 'select',
    options: ['none', 'caller', 'service'],
    fallback: 'none',
  },
  {
    path: 'upstream.cookies',
    label: 'Cookies of the upstream',
    kind: 'select',
    options: ['drop', 'rename'],
    fallback: 'drop',
  },
  {
    path: 'upstream.requestHeaders',
    label: 'Request headers sent to the upstream',
    kind: 'lines',
    help: 'Names, one per line, besides the usual ones',
  },
  {
    path: 'upstream.responseHeaders',
    label: 'Response headers of the upstream',
    kind: 'lines',
    help: 'Names, one per line, besides the usual ones',
  },
  {
    path: 'upstream.timeout',
    label: 'Time limit of the upstream',
    kind: 'text',
    help: 'Such as 5s; at most ig.limits.handlerTimeout',
  },
  {
    path: 'upstream.bodyLimit',
    label: 'Body limit of the upstream',
    kind: 'text',
    help: 'Maximum request body, such as 64KiB; at most ig.limits.body',
  },
  {
    path: 'upstream.logDetail',
    label: 'Log detail of the upstream',
    kind: 'select',
    options: ['none', 'header', 'headerAndDetail'],
    fallback: 'none',
  },
]

const nodeColumns: readonly Column<{ readonly value: Readonly<Record<string, unknown>> }>[] = [
  {
    title: 'Upstream',
    isOnlyWide: true,
    value: ({ value }) => String((value.upstream as Readonly<Record<string, unknown>> | undefined)?.passThrough ?? ''),
  },
]

export const passThrough = {
  nodeFields,
  nodeColumns,
  handlerForms: { passThrough: lazy(() => import('./handler-form.tsx')) },
  states: { passedThrough: 'Passed through' },
}
