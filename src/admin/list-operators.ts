/** A page of the list of operators, cut by the database where it can be (specification 18.15, 18.19). */
import type { Operator } from '../model/operator.ts'
import type { OperatorQuery, OperatorStore } from '../store/operator-store.ts'
import { cutPage } from './schemas.ts'

interface Query extends Omit<OperatorQuery, 'sort' | 'isDescending'> {
  /** `-description` */
  readonly sort?: string | undefined
}

interface Page {
  readonly operators: readonly Operator[]
  readonly total: number
}

export async function listOperators(operators: OperatorStore, query: Query): Promise<Page> {
  const sort = readSort(query.sort)
  // The databases know no letter case beyond ASCII
  if (sort && /^[\x20-\x7e]*$/.test(query.search ?? '')) return operators.page({ ...query, ...sort })
  const wanted = query.search?.toLowerCase()
  const all = (await operators.list()).filter(
    ({ id, description, emails, isLocked, permissionLists }) =>
      (wanted === undefined ||
        [id, description, ...emails.map(({ address }) => address)].some((text) =>
          text.toLowerCase().includes(wanted),
        )) &&
      (query.isLocked === undefined || isLocked === query.isLocked) &&
      (query.permissionList === undefined || permissionLists.includes(query.permissionList)),
  )
  const { items, total } = cutPage(all, query)
  return { operators: items, total }
}

/** Undefined for a field that only the whole list can be sorted by. */
function readSort(sort = 'id'): Pick<OperatorQuery, 'sort' | 'isDescending'> | undefined {
  const field = sort.replace(/^-/, '')
  const isColumn = field === 'id' || field === 'description' || field === 'isLocked'
  return isColumn ? { sort: field, isDescending: sort.startsWith('-') } : undefined
}
