/** The audit as rows: added, never changed, each chained to the previous one (specification 18.30, 18.34). */
import { type Kysely, sql } from 'kysely'
import { hideUrlCredentials } from '../../model/secret-name.ts'
import type { Database } from '../database.ts'
import { nextEpoch, readEpoch } from '../epoch.ts'
import type { Tables } from '../tables.ts'
import { inTransaction } from '../transaction.ts'
import { type AuditContent, fromJson, verifyChain } from './audit-chain.ts'
import { addHashLink, countStrays, readHead, walkChain } from './chain.ts'
import { type AuditEntry, type AuditFilter, type AuditStore, type NewAuditEntry, viaCommandLine } from './contract.ts'

/** The results by which changing methods of the store report that nothing changed. */
export function isChange(result: unknown): boolean {
  if (result === false || result === undefined) return false
  return !(typeof result === 'object' && result !== null && 'activeInstead' in result)
}

export function openAudit(database: Database): AuditStore {
  return {
    append: (entry) =>
      inTransaction(database, async (transaction) => {
        await appendEntry(transaction, entry)
        return true as const
      }),
    list: (filter) => listEntries(database.reader, filter),
    head: () => readHead(database.reader),
    async page(after) {
      for await (const links of walkChain(database.reader, after)) return links
      return []
    },
    async verify(head) {
      const last = await readEpoch(database.reader, 'audit') // first: entries may be added meanwhile
      return verifyChain(walkChain(database.reader), { head, last, strays: await countStrays(database.reader) })
    },
  }
}

export async function appendEntry(transaction: Kysely<Tables>, entry: NewAuditEntry): Promise<void> {
  const { before, after, ...rest } = entry
  const sequence = await nextEpoch(transaction, 'audit')
  const values = { ...rest, sequence, time: Math.floor(rest.time), before: toJson(before), after: toJson(after) }
  await transaction.insertInto('ig_audit').values(values).execute()
  await addHashLink(transaction, sequence)
}

async function listEntries(reader: Kysely<Tables>, filter: AuditFilter): Promise<readonly AuditEntry[]> {
  const { actor, action, actions, subject, afterHas, own, from, to, before, after, valuesUpTo, limit } = filter
  let entries = reader.selectFrom('ig_audit')
  if (actor !== undefined) entries = entries.where('actor', '=', actor)
  if (action !== undefined) entries = entries.where('action', '=', action)
  if (actions) entries = entries.where('action', 'in', actions)
  if (subject !== undefined) entries = entries.where(sql<boolean>`subject like ${containing(subject)} escape '!'`)
  if (afterHas !== undefined)
    entries = entries.where(sql<boolean>`${sql.ref('after')} like ${containing(afterHas)} escape '!'`)
  if (own)
    entries = entries.where((is) =>
      is.or([
        is('action', 'not in', own.actions),
        is.and([is('actor', '=', own.actor), is('via', '!=', viaCommandLine)]),
      ]),
    )
  if (from !== undefined) entries = entries.where('time', '>=', from)
  if (to !== undefined) entries = entries.where('time', '<', to)
  if (before !== undefined) entries = entries.where('sequence', '<', before)
  if (after !== undefined) entries = entries.where('sequence', '>', after)
  const order = after === undefined ? 'desc' : 'asc'
  const page = entries.orderBy('sequence', order).limit(limit)
  if (valuesUpTo === undefined) return (await page.selectAll().execute()).map(toEntry)
  const isShort = (column: 'before' | 'after') => sql<boolean>`octet_length(${sql.ref(column)}) <= ${valuesUpTo}`
  const short = (column: 'before' | 'after') =>
    sql<string | null>`case when ${isShort(column)} then ${sql.ref(column)} end`.as(column)
  const rows = await page
    .select(['sequence', 'time', 'actor', 'via', 'address', 'action', 'subject', short('before'), short('after')])
    .select(sql<number>`case when not ${isShort('before')} or not ${isShort('after')} then 1 else 0 end`.as('is_cut'))
    .execute()
  return rows.map(({ is_cut, ...row }) => ({ ...toEntry(row), isCut: is_cut === 1 }))
}

function toEntry({ before, after, ...rest }: AuditContent): AuditEntry {
  return { ...rest, before: fromJson(before), after: fromJson(after) }
}

function containing(text: string): string {
  return `%${text.replace(/[!%_]/g, '!$&')}%`
}

/** An item of a draft may have a URL with a password by mistake, and an entry is never removed. */
function toJson(value: unknown): string | null {
  const hide = (_name: string, each: unknown) => (typeof each === 'string' ? hideUrlCredentials(each) : each)
  return value === undefined ? null : JSON.stringify(value, hide)
}
