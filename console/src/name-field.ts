/** What a form calls a field, by its path in the API: `URI template 1`, `Response: Content type` (specification 19.33). */
import type { ListName } from './field.ts'
import { lists } from './lists.ts'
import { messageFields, operationTabs } from './operation-fields.ts'

export function labelOf(list: ListName | undefined, path: string): string {
  const template = list === 'operations' ? /^uriTemplates\[(\d+)\]$/.exec(path) : null
  if (template) return `URI template ${Number(template[1]) + 1}`
  const known = list === undefined ? [] : list === 'operations' ? operationLabels : lists[list].fields
  const field = known.find((each) => covers(each.path, path))
  if (!field) return wordsOf(path)
  const rest = path.slice(field.path.length).replace(/^\./, '')
  return rest === '' ? field.label : `${field.label}: ${rest}`
}

/** The tab of the operation editor that has the field. */
export function tabOf(list: ListName, path: string) {
  return list === 'operations' ? operationTabs.find(({ paths }) => paths.some((own) => covers(own, path))) : undefined
}

/** With its tab, unless that is the first one. */
export function nameField(list: ListName | undefined, path: string): string {
  const tab = list && tabOf(list, path)
  return `${labelOf(list, path)}${tab && tab !== operationTabs[0] ? ` (${tab.title})` : ''}`
}

/** `emails[0].isPrimary` → `Is primary` */
function wordsOf(path: string): string {
  const [last = path] = path.split('.').slice(-1)
  const words = last.replace(/\[\d+\]$/, '').replace(/[A-Z](?=[a-z])/g, (capital) => ` ${capital.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const covers = (field: string, path: string) => path === field || /^[.[]/.test(path.replace(field, ''))

const operationLabels = [
  ...lists.operations.fields,
  ...messageFields.flatMap(({ title, fields }) =>
    fields.map(({ path, label }) => ({ path, label: `${title}: ${label}` })),
  ),
  { path: 'uriTemplates', label: 'URI templates' },
]
