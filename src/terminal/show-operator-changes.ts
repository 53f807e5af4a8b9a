/** What changes in many operators, for a terminal (specification 37.1). */
import type { OperatorChange } from '../configuration/operator-file/apply-entry.ts'
import { summarizeImport } from '../configuration/operator-file/summarize-import.ts'
import { colours, print, printJson, show } from './print.ts'

/** On a terminal at most this many changes; --json has all. */
const maxShown = 100

interface ShowOptions {
  readonly json?: boolean | undefined
  readonly unchanged: number
  /** What became of the changes. */
  readonly done: string
}

export function showOperatorChanges(changes: readonly OperatorChange[], { json, unchanged, done }: ShowOptions): void {
  const { added, changed } = summarizeImport(changes)
  if (json) {
    printJson({ added, changed, unchanged, changes })
    return
  }
  const { dim } = colours()
  const lines = changes.slice(0, maxShown).map(describeChange)
  const rest = changes.length - lines.length
  const more = rest > 0 ? [dim(`… and ${rest} more; --json lists all`)] : []
  const counts = `${added} added, ${changed} changed, ${unchanged} unchanged.`
  print([...lines, ...more, `${counts} ${changes.length > 0 ? done : 'Nothing to import.'}`].join('\n'))
}

function describeChange({ kind, id, after, gains, loses }: OperatorChange): string {
  const named = Object.keys(after).filter((field) => field !== 'permissionLists')
  const lists = [...gains.map((name) => `+${name}`), ...loses.map((name) => `-${name}`)]
  const facts = [...(kind === 'changed' && named.length > 0 ? [named.join(', ')] : []), ...lists]
  return `${kind === 'added' ? '+' : '~'} ${show(id)}${facts.length > 0 ? `: ${show(facts.join(' '))}` : ''}`
}
