/** Which fields of an operation stand in which tab of its editor, and in what order. */
import { fields } from './api/fields.ts'
import type { Field } from './field.ts'

const all = fields.operations

/** Those of each path, and of an object those of its members. */
export function pick(...paths: readonly string[]): readonly Field[] {
  return paths.flatMap((own) => all.filter(({ path }) => covers(own, path)))
}

export const covers = (field: string, path: string) => path === field || /^[.[]/.test(path.replace(field, ''))

/** The sections of the first tab: those that are more than their fields add the rest. */
export const general = {
  name: pick('name', 'method', 'version', 'service'),
  about: pick('alias', 'description', 'isActive'),
  url: pick('uriTemplates', 'documentTemplate'),
  callers: pick('verification', 'allowedAddresses'),
  handler: pick('handler'),
}
export const documentField = pick('documentTemplate')

export const limits = pick(
  'cacheKeyPolicy',
  'cacheVary',
  'timeout',
  'bodyLimit',
  'idempotency',
  'transaction',
  'unknownParameters',
)
export const messages = ['requestMessage', 'responseMessage', 'faultMessage'].map((message) => {
  const own = pick(message)
  return {
    message,
    title: own[0]?.group ?? message,
    fields: message === 'responseMessage' ? [...own, ...pick('responseTypes')] : own,
  }
})

const placed = new Set([...Object.values(general), limits, ...messages.map(({ fields }) => fields)].flat())
/** What no other tab has. */
export const others = all.filter((field) => !placed.has(field))

const pathsOf = (fields: readonly Field[]) => fields.map(({ path }) => path)

/** The tabs, with the fields whose errors they count. */
export const operationTabs = [
  { name: 'general', title: 'General', paths: pathsOf(Object.values(general).flat()) },
  { name: 'limits', title: 'Cache and limits', paths: pathsOf(limits) },
  { name: 'messages', title: 'Messages', paths: ['responseTypes', ...messages.map(({ message }) => message)] },
  { name: 'other', title: 'Other settings', paths: pathsOf(others) },
  { name: 'uri', title: 'Test URLs', paths: [] },
  { name: 'routings', title: 'Routings', paths: ['routings', 'routing'], isLater: true },
  { name: 'versions', title: 'Versions', paths: [], isLater: true },
] as const satisfies readonly OperationTab[]

interface OperationTab {
  readonly name: string
  readonly title: string
  readonly paths: readonly string[]
  /** Only of an operation that exists. */
  readonly isLater?: boolean
}
