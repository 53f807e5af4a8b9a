/** Changes between two configurations, for people (specification 13.3, 13.4). */

import { aliasesOf, type ListName } from '../configuration/canonical.ts'
import type { Configuration } from '../configuration/configuration.ts'
import type { Change, FieldChange } from '../configuration/diff-configurations.ts'
import { countItems, listNouns } from '../configuration/list-nouns.ts'
import { operationIdOf, segmentOf } from '../model/operation-name.ts'
import { alignColumns, type Colours, show } from './print.ts'

export interface ComparedConfigurations {
  readonly before: Configuration | undefined
  readonly after: Configuration
  readonly changes: readonly Change[]
}

/** More than people read before a decision. */
const max = 100

/** The first of many changes, the command that shows all, and the sum. */
export function writeFirstChanges(compared: ComparedConfigurations, colours: Colours, command: string): string {
  const more = compared.changes.length - max
  if (more <= 0) return writeChanges(compared, colours)
  const first = writeLines({ ...compared, changes: compared.changes.slice(0, max) }, colours)
  return [...first, `… and ${more} more: ${command} shows all.`, sumUp(compared.changes)].join('\n')
}

/** One line for each change, one below it for each field, and the sum. */
export function writeChanges(compared: ComparedConfigurations, colours: Colours): string {
  return [...writeLines(compared, colours), sumUp(compared.changes)].join('\n')
}

function writeLines({ before, after, changes }: ComparedConfigurations, colours: Colours): readonly string[] {
  const urls = new Map([...urlsOf(before), ...urlsOf(after)])
  const heads = alignColumns(
    changes.map(({ kind, list, id }) => [
      `${signs[kind]} ${listNouns[list]}`,
      show(id),
      urls.get(`${list} ${id}`) ?? '',
    ]),
  )
  return changes.flatMap(({ kind, fields, breaks }, index) => [
    paintOf(kind, colours)(heads[index] ?? ''),
    ...(breaks ? [colours.warning(`    ! ${breaks}`)] : []),
    ...alignColumns(fields.flatMap(writeField)).map((line) => `    ${line}`),
  ])
}

/** `1 operation added, 2 permission lists changed.` */
export function sumUp(changes: readonly Change[]): string {
  const kinds = ['added', 'changed', 'removed'] as const
  const parts = kinds.flatMap((kind) =>
    (Object.keys(listNouns) as ListName[]).flatMap((list) => {
      const count = changes.filter((change) => change.kind === kind && change.list === list).length
      return count === 0 ? [] : [`${countItems(count, list)} ${kind}`]
    }),
  )
  return parts.length === 0 ? 'Nothing differs.' : `${parts.join(', ')}.`
}

const signs: Readonly<Record<Change['kind'], string>> = { added: '+', changed: '~', removed: '-' }

function paintOf(kind: Change['kind'], { accent, warning }: Colours): (text: string) => string {
  return { added: accent, changed: (text: string) => text, removed: warning }[kind]
}

/** The name of an operation for callers. */
function urlsOf(configuration: Configuration | undefined): ReadonlyMap<string, string> {
  if (!configuration) return new Map()
  const aliases = aliasesOf(configuration)
  return new Map(
    configuration.operations.map((operation) => {
      const { name, method, version, verification, isActive } = operation
      const segment = segmentOf({ alias: aliases.get(name) ?? name, version })
      const url = `${method} ${segment}  ${verification}${isActive ? '' : ', not active'}`
      return [`operations ${operationIdOf(operation)}`, url]
    }),
  )
}

/** For a list, the added and removed items; for other values, before and after. */
function writeField({ field, before, after }: FieldChange): readonly (readonly string[])[] {
  if (!isTexts(before) || !isTexts(after)) return [[field, `${write(before)} → ${write(after)}`]]
  const gone = before.filter((text) => !after.includes(text)).map((text) => `- ${show(text)}`)
  const come = after.filter((text) => !before.includes(text)).map((text) => `+ ${show(text)}`)
  const rows = [...gone, ...come]
  if (rows.length === 0) return [[field, `${write(before)} → ${write(after)}`]]
  return rows.map((row, index) => [index === 0 ? field : '', row])
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function write(value: unknown): string {
  if (value === undefined) return '(none)'
  return show(typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') || '(none)' : String(value))
}
