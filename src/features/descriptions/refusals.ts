/**
 * The refusals that a call of a described operation can meet, by status, in the active error style (specification
 * 12.7).
 */
import type { Operation } from '../../model/operation.ts'
import type { ErrorStyle, Method } from '../../model/operation-terms.ts'

import {
  type RefusalCode,
  type RefusalCondition,
  type RefusalForm,
  type RefusalRow,
  refusalTable,
} from '../../model/refusal.ts'
import { verificationOf } from '../../model/verification.ts'

export interface RefusalsOfStatus {
  readonly status: number
  readonly codes: readonly RefusalCode[]
  /** The distinct forms of their bodies. */
  readonly bodies: readonly RefusalForm['body'][]
}

/** What decides the statuses of refusals. */
export interface RefusalSettings {
  /** An operation's own takes precedence. */
  readonly errorStyle: ErrorStyle
  readonly jsonInvalidStatus?: number
}

export function findRefusals(operation: Operation, settings: RefusalSettings): readonly RefusalsOfStatus[] {
  const formOf = (code: RefusalCode): RefusalForm => {
    const form: RefusalForm = refusalTable[code][operation.errorStyle ?? settings.errorStyle]
    const status = form.statusSetting && settings[form.statusSetting]
    return status === undefined ? form : { ...form, status }
  }
  const codes = (Object.keys(refusalTable) as RefusalCode[]).filter((code) =>
    arises[refusalTable[code].arises](operation, code),
  )
  return [...Map.groupBy(codes, (code) => formOf(code).status)].map(([status, group]) => ({
    status,
    codes: group,
    bodies: [...new Set(group.map((code) => formOf(code).body))],
  }))
}

/** Header → its possible values, for headers of the refusals only. */
export function headersOf(codes: readonly RefusalCode[], platform: string): ReadonlyMap<string, ReadonlySet<string>> {
  const headers = new Map<string, Set<string>>()
  for (const code of codes) {
    const row: RefusalRow = refusalTable[code]
    const flat = [
      ...(row.headers?.({ ...placeholders, platform }) ?? []),
      ...(row.omitsCodeHeader ? [] : ['ig-refusal', code]),
    ]
    for (let at = 0; at < flat.length; at += 2) {
      const [name = '', value = ''] = flat.slice(at, at + 2)
      headers.set(name, (headers.get(name) ?? new Set()).add(value))
    }
  }
  return headers
}

export function explainRefusal(code: RefusalCode): string {
  const detail = refusalTable[code].detail({ ...placeholders, platform: '' })
  return detail === '' ? `\`${code}\`.` : `\`${code}\`: ${detail}`
}

export function takesBody({ method }: { readonly method: Method }): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH'
}

/** Placeholder in a refusal's text for a name that only a call has. */
const placeholders = { operatorId: 'OPRID', operation: 'NAME_METHOD', service: 'NAME.v1', retryAfter: 1 }

const hasValues = ({ templates }: Operation) =>
  templates.some(({ variables, query }) => variables.length + query.length > 0)

const arises: Readonly<Record<RefusalCondition, (operation: Operation, code: RefusalCode) => boolean>> = {
  always: () => true,
  never: () => false,
  credentials: ({ verification }, code) =>
    verificationOf(verification).takes.some((mode) => verificationOf(mode).refusal === code),
  tls: ({ verification }) => verificationOf(verification).needsTls,
  network: ({ allowedAddresses }) => allowedAddresses !== undefined,
  body: takesBody,
  key: ({ idempotency }) => idempotency !== undefined,
  keyRequired: ({ idempotency }) => idempotency === 'required',
  schema: ({ handler }) => handler.requestSchema !== undefined,
  limits: ({ limits }) => limits !== undefined,
  values: hasValues,
  documentValues: ({ document, templates, unknownParameters }) =>
    unknownParameters === 'refuse' ||
    (document !== undefined && templates.some(({ variables }) => variables.length > 0)),
  forwarded: ({ forwards }) => forwards === true,
  valuesOrRecording: (operation) => operation.substitute?.responses !== undefined || hasValues(operation),
}
