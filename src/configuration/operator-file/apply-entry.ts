/** What an entry of a file changes in an operator (specification 37.3, 37.4). */
import { type EmailAddress, firstLoginMark, hasPassword, type Operator } from '../../model/operator.ts'
import { findDigest, type OperatorEntry } from './entry.ts'

/** An entry, the hash of its digest once that is made, and single permission lists. */
export type PreparedEntry = OperatorEntry & {
  readonly wrappedDigest?: string
  readonly gains?: string
  readonly loses?: string
}

export interface OperatorChange {
  readonly kind: 'added' | 'changed'
  readonly id: string
  /** Changed fields only; a password is shown as `***`. */
  readonly before: Readonly<Record<string, unknown>>
  readonly after: Readonly<Record<string, unknown>>
  /** Permission lists. */
  readonly gains: readonly string[]
  readonly loses: readonly string[]
}

export interface AppliedEntry {
  readonly operator: Operator
  readonly change: OperatorChange
  /** Its password is a digest that is not wrapped yet. */
  readonly needsWrapping: boolean
  /** Replaces an earlier password. */
  readonly replacesPassword: boolean
}

/** @returns undefined if the entry changes nothing */
export function applyEntry(entry: PreparedEntry, existing: Operator | undefined): AppliedEntry | undefined {
  const before = normalize(existing ?? { ...none, id: entry.id })
  const { passwordArgon2id, firstLogin: marks, wrappedDigest, gains, loses } = entry
  const stated = Object.fromEntries(compared.map((field) => [field, entry[field]])) as Pick<
    PreparedEntry,
    (typeof compared)[number]
  >
  // The operator may have another password by now: the original's never replaces one
  const isOpen = !hasPassword(before)
  const isFirst = findDigest(entry) !== undefined && isOpen
  const unknown = isOpen && marks !== undefined ? (marks ? firstLoginMark : undefined) : before.passwordHash
  const passwordHash = passwordArgon2id ?? (isFirst ? wrappedDigest : undefined) ?? unknown
  const given = { ...before, ...withoutUndefined(stated), passwordHash }
  const permissionLists = [...given.permissionLists, ...(gains === undefined ? [] : [gains])]
  const operator = normalize({ ...given, permissionLists: permissionLists.filter((name) => name !== loses) })
  const getsPassword = isFirst || (passwordHash !== before.passwordHash && hasPassword({ passwordHash }))
  const isMarked = { before: before.passwordHash === firstLoginMark, after: passwordHash === firstLoginMark }
  const isMarkChanged = isMarked.before !== isMarked.after
  const changed = compared.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(operator[field]))
  if (existing && changed.length === 0 && !getsPassword && !isMarkChanged) return undefined
  const pick = (from: Operator) => Object.fromEntries(changed.map((field) => [field, from[field]]))
  const [held, holds] = [new Set(before.permissionLists), new Set(operator.permissionLists)]
  return {
    operator,
    needsWrapping: isFirst && wrappedDigest === undefined,
    replacesPassword: getsPassword && hasPassword(before),
    change: {
      kind: existing ? 'changed' : 'added',
      id: operator.id,
      before: {
        ...(existing && pick(before)),
        ...(getsPassword && hasPassword(before) && { password: '***' }),
        ...(existing && isMarkChanged && { firstLogin: isMarked.before }),
      },
      after: {
        ...pick(operator),
        ...(getsPassword && { password: '***' }),
        ...(isMarkChanged && { firstLogin: isMarked.after }),
      },
      gains: operator.permissionLists.filter((name) => !held.has(name)),
      loses: before.permissionLists.filter((name) => !holds.has(name)),
    },
  }
}

const none: Omit<Operator, 'id'> = {
  description: '',
  passwordHash: undefined,
  emails: [],
  isLocked: false,
  permissionLists: [],
}
const compared = ['description', 'isLocked', 'emails', 'certificates', 'permissionLists'] as const

/** The order of lists has no meaning, and differs between databases. */
function normalize(operator: Operator): Operator {
  const { emails, certificates = [], permissionLists } = operator
  return {
    ...operator,
    emails: emails.map(({ type, address, isPrimary }) => ({ type, address, isPrimary })).toSorted(byRank),
    certificates: [...new Set(certificates)].toSorted(),
    permissionLists: [...new Set(permissionLists)].toSorted(),
  }
}

function byRank(one: EmailAddress, other: EmailAddress): number {
  if (one.isPrimary !== other.isPrimary) return one.isPrimary ? -1 : 1
  return `${one.type} ${one.address}` < `${other.type} ${other.address}` ? -1 : 1
}

function withoutUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<T>
}

/** Changes in one audit entry. */
const maxChanges = 1000

/** An import in a few lines, for the audit and for answers (specification 37.1). */
export function summarizeImport(changes: readonly OperatorChange[]) {
  const added = changes.filter(({ kind }) => kind === 'added').length
  return { added, changed: changes.length - added, changes: changes.slice(0, maxChanges) }
}
