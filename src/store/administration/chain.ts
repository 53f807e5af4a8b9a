/** The chain of the audit as rows (specification 18.34). The hash is a row of its own, because entries never change. */
import { setImmediate as breathe } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { type AuditContent, type AuditLink, hashEntry, noHash } from './audit-chain.ts'

type Reader = Kysely<Tables>

const pageLength = 500

/** Stores a hash over a new entry and the hash before it. The locked row of the epoch lets in one writer at a time. */
export async function addHashLink(transaction: Reader, sequence: number): Promise<void> {
  const head = await readHead(transaction)
  // As stored: a database may normalize some texts
  const entry: AuditContent = await transaction
    .selectFrom('ig_audit')
    .selectAll()
    .where('sequence', '=', sequence)
    .executeTakeFirstOrThrow()
  const link = { sequence, hash: hashEntry(head?.hash ?? noHash, entry) }
  await transaction.insertInto('ig_audit_link').values(link).execute()
}

export function readHead(reader: Reader): Promise<Tables['ig_audit_link'] | undefined> {
  return reader.selectFrom('ig_audit_link').selectAll().orderBy('sequence', 'desc').limit(1).executeTakeFirst()
}

/** Entries in order of sequence, in pages; without those added meanwhile. */
export async function* walkChain(reader: Reader, after = 0): AsyncGenerator<readonly AuditLink[]> {
  const newest = [await readLast(reader, 'ig_audit_link'), await readLast(reader, 'ig_audit')]
  const to = Math.max(...newest)
  const links = reader.selectFrom('ig_audit_link').selectAll().where('sequence', '<=', to).orderBy('sequence')
  const entries = reader.selectFrom('ig_audit').selectAll().where('sequence', '<=', to).orderBy('sequence')
  for (let from = after; ; ) {
    const [link, entry] = [links.where('sequence', '>', from), entries.where('sequence', '>', from)]
    const next = [await link.limit(1).executeTakeFirst(), await entry.limit(1).executeTakeFirst()]
    const least = Math.min(...next.map((row) => row?.sequence ?? Number.POSITIVE_INFINITY))
    if (least === Number.POSITIVE_INFINITY) return
    from = least + pageLength
    const contents = await entry.where('sequence', '<=', from).execute()
    const linked = await link.where('sequence', '<=', from).execute()
    const hashes = new Map(linked.map(({ sequence, hash }) => [sequence, hash]))
    const known = new Set(contents.map(({ sequence }) => sequence))
    const found = contents.map((row) => ({ sequence: row.sequence, hash: hashes.get(row.sequence), entry: row }))
    const gone = linked.filter(({ sequence }) => !known.has(sequence)).map((row) => ({ ...row, entry: undefined }))
    yield [...found, ...gone].sort((one, other) => one.sequence - other.sequence)
    await breathe() // SQLite reads in process and blocks calls
  }
}

type ChainTable = 'ig_audit' | 'ig_audit_link'

const isNumber = sql<boolean>`coalesce(sequence between 1 and ${sql.lit(Number.MAX_SAFE_INTEGER)}, false)`

async function readLast(reader: Reader, table: ChainTable): Promise<number> {
  const last = reader.selectFrom(table).select('sequence').where(isNumber).orderBy('sequence', 'desc').limit(1)
  return (await last.executeTakeFirst())?.sequence ?? 0
}

/** Rows that the walk would miss: SQLite accepts a text or null as a number. */
export async function countStrays(reader: Reader): Promise<number> {
  const count = async (table: ChainTable) => {
    const strays = reader
      .selectFrom(table)
      .select(sql<number>`count(*)`.as('count'))
      .where(sql<boolean>`not ${isNumber}`)
    return Number((await strays.executeTakeFirstOrThrow()).count)
  }
  return (await count('ig_audit')) + (await count('ig_audit_link'))
}
