/** Operators of the store, page by page (specification 3.2). */
import type { Kysely, Selectable } from 'kysely'
import type { Operator } from '../model/operator.ts'
import type { Tables } from './tables.ts'

export interface OperatorFilter {
  readonly id?: string
  readonly ids?: readonly string[]
  readonly changedSince?: number
}

/** Rows of a page are garbage before the next one is read: 100,000 operators are 150 MB. */
const pageSize = 1000

export async function readOperators(reader: Kysely<Tables>, filter: OperatorFilter): Promise<Operator[]> {
  const share = openShared()
  const found: Operator[] = []
  let after: string | undefined
  for (;;) {
    const page = await readPage(reader, filter, after)
    for (const { row, emails, grants, certificates } of page)
      found.push(toOperator(row, emails, grants, certificates, share))
    if (page.length < pageSize) return found
    after = page.at(-1)?.row.id
  }
}

/** Addresses and grants are read after the operators: they may be newer than the epoch, never older. */
async function readPage(reader: Kysely<Tables>, { id, ids, changedSince }: OperatorFilter, after: string | undefined) {
  let operators = reader.selectFrom('ig_operator')
  if (id !== undefined) operators = operators.where('id', '=', id)
  if (ids !== undefined) operators = operators.where('id', 'in', ids)
  if (changedSince !== undefined) operators = operators.where('changed', '>', changedSince)
  if (after !== undefined) operators = operators.where('id', '>', after)
  const rows = await operators.selectAll().orderBy('id').limit(pageSize).execute()
  const last = rows.at(-1)
  if (!last) return []
  const those = operators.where('id', '<=', last.id).select('id')
  const emails = await reader
    .selectFrom('ig_operator_email')
    .selectAll()
    .where('operator_id', 'in', those)
    .orderBy('is_primary', 'desc')
    .orderBy('type')
    .orderBy('address')
    .execute()
  const grants = await reader
    .selectFrom('ig_operator_permission_list')
    .selectAll()
    .where('operator_id', 'in', those)
    .orderBy('permission_list')
    .execute()
  const certificates = await reader
    .selectFrom('ig_operator_certificate')
    .selectAll()
    .where('operator_id', 'in', those)
    .orderBy('certificate')
    .execute()
  const certificatesOf = Map.groupBy(certificates, (certificate) => certificate.operator_id)
  const emailsOf = Map.groupBy(emails, (email) => email.operator_id)
  const grantsOf = Map.groupBy(grants, (grant) => grant.operator_id)
  return rows.map((row) => ({
    row,
    emails: emailsOf.get(row.id) ?? [],
    grants: grantsOf.get(row.id) ?? [],
    certificates: certificatesOf.get(row.id) ?? [],
  }))
}

function toOperator(
  row: Selectable<Tables['ig_operator']>,
  emails: readonly Selectable<Tables['ig_operator_email']>[],
  grants: readonly Selectable<Tables['ig_operator_permission_list']>[],
  certificates: readonly Selectable<Tables['ig_operator_certificate']>[],
  share: (text: string) => string,
): Operator {
  return {
    id: row.id,
    description: row.description,
    passwordHash: row.password_hash ?? undefined,
    emails: emails.map(({ type, address, is_primary }) => ({
      type: share(type),
      address,
      isPrimary: is_primary === 1,
    })),
    isLocked: row.is_locked === 1,
    ...(certificates.length > 0 && { certificates: certificates.map(({ certificate }) => certificate) }),
    permissionLists: Object.freeze(grants.map(({ permission_list }) => share(permission_list))), // handlers receive it
  }
}

/** Interns names: the same few are in very many rows, and each row has its own copy. */
function openShared(): (text: string) => string {
  const texts = new Map<string, string>()
  return (text) => {
    const known = texts.get(text)
    if (known === undefined) texts.set(text, text)
    return known ?? text
  }
}
