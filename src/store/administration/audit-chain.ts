/**
 * The chain of the audit (specification 18.34): the hash of each entry covers its content and the previous hash, so the
 * last hash proves all entries. One pass verifies a database or an export.
 */
import { hash } from 'node:crypto'

/** Who did what to what, when, and from where. */
export interface AuditFacts {
  /** Epoch milliseconds. */
  readonly time: number
  /** The administrator's name; empty if there is none. */
  readonly actor: string
  /** `session`, `token <name>`, `invitation`. */
  readonly via: string
  /** Where the request came from. */
  readonly address: string
  /** The id of the operation: `lockOperator`. */
  readonly action: string
  readonly subject: string
}

/** An entry as it is stored: `before` and `after` are JSON, or null. */
export interface AuditContent extends AuditFacts {
  readonly sequence: number
  readonly before: string | null
  readonly after: string | null
}

/** In a damaged chain, an entry may lack its hash, or a hash its entry. */
export interface AuditLink {
  readonly sequence: number
  readonly hash: string | undefined
  readonly entry: AuditContent | undefined
}

export interface AuditVerdict {
  readonly entries: number
  /** The last hash; undefined if nothing is chained. */
  readonly head: string | undefined
  /** The first entry that differs from the chain. */
  readonly difference?: { readonly sequence: number; readonly reason: string }
  /** Whether the chain contains the requested head. */
  readonly hasHead?: boolean
}

/** An entry as people and programs read it, with its hash; nothing for a missing one. */
export function describeLink({ hash, entry }: AuditLink) {
  if (!entry) return undefined
  const { time, before, after, ...rest } = entry
  return { ...rest, time: new Date(time).toISOString(), before: fromJson(before), after: fromJson(after), hash }
}

/** Invalid JSON was changed in the database: its text breaks the chain. */
export function fromJson(text: string | null): unknown {
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The previous hash of the first entry. */
export const noHash = '0'.repeat(64)

export function hashEntry(previous: string, entry: AuditContent): string {
  const { sequence, time, actor, via, address, action, subject, before, after } = entry
  const content = JSON.stringify([sequence, time, actor, via, address, action, subject, before, after])
  return hash('sha256', `${previous}\n${content}`)
}

export interface ChainFacts {
  /** An earlier head: it must be one of the hashes. */
  readonly head?: string | undefined
  /** The last sequence number in use. */
  readonly last?: number
  /** Rows that no gateway wrote: the gateway numbers from 1. */
  readonly strays?: number
}

/** @param links in order of their sequence */
export async function verifyChain(
  links: AsyncIterable<readonly AuditLink[]>,
  { head, last = 0, strays = 0 }: ChainFacts = {},
): Promise<AuditVerdict> {
  let [entries, previous, sequence] = [0, noHash, 0]
  let hasHead = false
  let difference: AuditVerdict['difference']
  for await (const page of links) {
    for (const link of page) {
      if (link.entry) entries += 1
      difference ??= findDifference(link, { previous, sequence })
      hasHead ||= difference === undefined && link.hash === head
      previous = link.hash ?? previous
      sequence = link.sequence
    }
  }
  if (last > sequence) difference ??= { sequence: sequence + 1, reason: 'it is missing' }
  if (strays > 0) difference ??= { sequence: 0, reason: 'it was added' }
  return {
    entries,
    head: previous === noHash ? undefined : previous,
    ...(difference && { difference }),
    ...(head !== undefined && { hasHead }),
  }
}

interface ChainPosition {
  readonly previous: string
  readonly sequence: number
}

/** Numbers have no gaps: a chain that continues after a gap was made by a gateway that found entries missing. */
function findDifference({ sequence, hash, entry }: AuditLink, walked: ChainPosition): AuditVerdict['difference'] {
  const next = walked.sequence + 1
  if (sequence > next) return { sequence: next, reason: 'it is missing' }
  if (sequence < next) return { sequence: Math.floor(sequence), reason: 'it was added' }
  if (!entry) return { sequence, reason: 'it is missing' }
  if (hash === undefined) return { sequence, reason: 'it is not chained' }
  return hash === hashEntry(walked.previous, entry) ? undefined : { sequence, reason: 'it was changed' }
}
