/** What a form calls a field, by its path in the API: `URI template 1`, `Response: Content type`. */
import { fields } from './api/fields.ts'
import type { ListName } from './field.ts'
import { covers, operationTabs } from './operation-tabs.ts'

export function labelOf(list: ListName | undefined, path: string): string {
  const template = list === 'operations' ? /^uriTemplates\[(\d+)\]$/.exec(path) : null
  if (template) return `URI template ${Number(template[1]) + 1}`
  const field = list && fields[list].find((each) => covers(each.path, path))
  if (!field) return wordsOf(path)
  const rest = path.slice(field.path.length).replace(/^\./, '')
  return [field.group, field.label, rest].filter(Boolean).join(': ')
}

/** Whether it is the value that the field has without one. */
export function isFallback(list: ListName | 'gateway', path: string, value: unknown): boolean {
  const field = list === 'gateway' ? undefined : fields[list].find((each) => each.path === path)
  return field?.fallback !== undefined && field.fallback === value
}

/** The tab of the operation editor that has the field. */
export function tabOf(list: ListName, path: string) {
  return list === 'operations' ? operationTabs.find(({ paths }) => paths.some((own) => covers(own, path))) : undefined
}

/** The name of a field, with its tab unless that is the first one. */
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
