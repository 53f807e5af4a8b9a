/** What changes in many operators, for a terminal (specification 37.1). */

/** `--json` has all. */
const maxShown = 100

interface Changes {
  readonly isStored: boolean
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly changes: readonly Change[]
}

interface Change {
  readonly kind: 'added' | 'changed'
  readonly id: string
  readonly after: object
  readonly gains: readonly string[]
  readonly loses: readonly string[]
}

/** @param dry what a dry run says */
export function showChanges({ isStored, added, changed, unchanged, changes }: Changes, dry: string): readonly string[] {
  const rest = changes.length - maxShown
  const more = rest > 0 ? [`… and ${rest} more; --json lists all`] : []
  const done = changes.length === 0 ? 'Nothing to import.' : isStored ? 'All are stored.' : dry
  const counts = `${added} added, ${changed} changed, ${unchanged} unchanged. ${done}`
  return [...changes.slice(0, maxShown).map(showChange), ...more, counts]
}

function showChange({ kind, id, after, gains, loses }: Change): string {
  const named = Object.keys(after).filter((field) => field !== 'permissionLists')
  const lists = [...gains.map((name) => `+${name}`), ...loses.map((name) => `-${name}`)]
  const facts = [...(kind === 'changed' && named.length > 0 ? [named.join(', ')] : []), ...lists]
  return `${kind === 'added' ? '+' : '~'} ${id}${facts.length > 0 ? `: ${facts.join(' ')}` : ''}`
}
