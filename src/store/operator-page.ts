/** A page of the list of operators: filters, sorts and counts in the database (specification 18.15, 18.19). */
import { type Kysely, sql } from 'kysely'
import type { Operator } from '../model/operator.ts'
import type { OperatorQuery } from './operator-store.ts'
import type { Tables } from './tables.ts'

const columns = { id: 'id', description: 'description', isLocked: 'is_locked' } as const

export async function readOperatorPage(
  reader: Kysely<Tables>,
  { search, isLocked, permissionList, sort, isDescending, offset, limit }: OperatorQuery,
  readAll: (ids: readonly string[]) => Promise<readonly Operator[]>,
) {
  let found = reader.selectFrom('ig_operator')
  if (isLocked !== undefined) found = found.where('is_locked', '=', isLocked ? 1 : 0)
  if (permissionList !== undefined) {
    const holders = reader.selectFrom('ig_operator_permission_list').select('operator_id')
    found = found.where('id', 'in', holders.where('permission_list', '=', permissionList))
  }
  if (search !== undefined) {
    const pattern = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
    const holds = (column: 'id' | 'description' | 'address') =>
      sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`
    const addressed = reader.selectFrom('ig_operator_email').select('operator_id').where(holds('address'))
    found = found.where(({ or, eb }) => or([holds('id'), holds('description'), eb('id', 'in', addressed)]))
  }
  // Without a description: last in both directions
  const sorted = sort === 'description' ? found.orderBy(sql`case when description = '' then 1 else 0 end`) : found
  const page = sorted
    .select('id')
    .orderBy(columns[sort], isDescending ? 'desc' : 'asc')
    .orderBy('id')
    .offset(offset)
    .limit(limit)
  // A search reads all operators, so it counts on the way; without one, the page is read from an index alone
  const counted = search === undefined ? [] : await page.select(sql<number>`count(*) over ()`.as('total')).execute()
  const [first] = counted
  const { total } = first ?? (await found.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow())
  const rows = search === undefined ? await page.execute() : counted
  const ids = rows.map(({ id }) => id)
  const byId = new Map((ids.length === 0 ? [] : await readAll(ids)).map((operator) => [operator.id, operator]))
  return { operators: ids.flatMap((id) => byId.get(id) ?? []), total: Number(total) }
}
