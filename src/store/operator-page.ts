/** A page of the list of operators: filters, sorts and counts in the database (specification 18.15, 18.19). */
import { expressionBuilder, type Kysely, sql } from 'kysely'
import type { Operator } from '../model/operator.ts'
import type { OperatorQuery } from './operator-store.ts'
import type { Tables } from './tables.ts'

/** What a search counts in the order of ids, if its page does not need more. */
const countedAtMost = 10_000

const { selectFrom } = expressionBuilder<Tables, 'ig_operator'>()
const sorts = {
  id: sql`id`,
  isLocked: sql`is_locked`,
  description: sql`nullif(description, '')`,
  permissionLists: selectFrom('ig_operator_permission_list')
    .whereRef('operator_id', '=', 'ig_operator.id')
    .select(({ fn }) => fn.min('permission_list').as('first')),
} as const

export async function readOperatorPage(
  reader: Kysely<Tables>,
  { search, id, isLocked, permissionList, sort, isDescending, offset, limit }: OperatorQuery,
  readAll: (ids: readonly string[]) => Promise<readonly Operator[]>,
) {
  let found = reader.selectFrom('ig_operator')
  if (isLocked !== undefined) found = found.where('is_locked', '=', isLocked ? 1 : 0)
  if (permissionList !== undefined) {
    const holders = reader.selectFrom('ig_operator_permission_list').select('operator_id')
    found = found.where('id', 'in', holders.where('permission_list', '=', permissionList))
  }
  if (search !== undefined) {
    const addressed = reader.selectFrom('ig_operator_email').select('operator_id').where(contains('address', search))
    found = found.where(({ or, eb }) =>
      or([contains('id', search), contains('description', search), eb('id', 'in', addressed)]),
    )
  }
  if (id !== undefined) found = found.where(contains('id', id))
  const ordered = found
    .select('id')
    .orderBy(sorts[sort], (order) => {
      const ordered = isDescending ? order.desc() : order.asc()
      return sort === 'description' || sort === 'permissionLists' ? ordered.nullsLast() : ordered // others use an index
    })
    .orderBy('id')
  const page = ordered.offset(offset).limit(limit)
  const maxCounted = Math.max(countedAtMost, offset + limit)
  const isBounded = search !== undefined && sort === 'id'
  // By id, a search ends with the first match that is not counted. In another order it reads all operators, and counts on the way
  const bounded = reader
    .with('matches', () => ordered.limit(maxCounted + 1))
    .selectFrom('matches')
    .select(['id', sql<number>`(select count(*) from matches)`.as('total')])
    .orderBy('id', isDescending ? 'desc' : 'asc')
    .offset(offset)
    .limit(limit)
  const all = page.select(sql<number>`count(*) over ()`.as('total'))
  // Without a search, the page is read from an index alone
  const counted = search === undefined ? [] : await (isBounded ? bounded : all).execute()
  // A first page without rows has counted, too
  const hasNone = search !== undefined && offset === 0 && counted.length === 0
  const count = async () =>
    hasNone ? { total: 0 } : found.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow()
  const { total } = counted[0] ?? (await count())
  const rows = search === undefined ? await page.execute() : counted
  const ids = rows.map(({ id }) => id)
  const byId = new Map((ids.length === 0 ? [] : await readAll(ids)).map((operator) => [operator.id, operator]))
  const isMore = isBounded && Number(total) > maxCounted
  return { operators: ids.flatMap((id) => byId.get(id) ?? []), total: isMore ? maxCounted : Number(total), isMore }
}

/** The databases know no letter case beyond ASCII: each such letter of the text is replaced by its small one. */
function contains(column: 'id' | 'description' | 'address', text: string) {
  const small = text.toLowerCase()
  const letters = [...new Set(small)].filter((letter) => letter > '~' && letter !== letter.toUpperCase())
  const folded = letters.reduce(
    (inner, letter) => sql`replace(${inner}, ${letter.toUpperCase()}, ${letter})`,
    sql`lower(${sql.ref(column)})`,
  )
  return sql<boolean>`${folded} like ${`%${small.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`
}
