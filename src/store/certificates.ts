/** The table of operators' client certificates. */
import type { Kysely } from 'kysely'
import type { ColumnTypes } from './database.ts'
import type { Tables } from './tables.ts'

export async function createCertificates(database: Kysely<Tables>, { text }: ColumnTypes): Promise<void> {
  await database.schema
    .createTable('ig_operator_certificate')
    .addColumn('operator_id', text, (column) => column.notNull().references('ig_operator.id'))
    .addColumn('certificate', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('ig_operator_certificate_key', ['operator_id', 'certificate'])
    .execute()
}

export async function readCertificates(
  transaction: Kysely<Tables>,
  id: string,
): Promise<{ readonly certificates: readonly string[] }> {
  const rows = transaction.selectFrom('ig_operator_certificate').select('certificate').where('operator_id', '=', id)
  const found = await rows.orderBy('certificate').execute()
  return { certificates: found.map(({ certificate }) => certificate) }
}

export async function insertCertificates(
  transaction: Kysely<Tables>,
  operator_id: string,
  certificates: readonly string[],
): Promise<void> {
  for (const certificate of new Set(certificates))
    await transaction.insertInto('ig_operator_certificate').values({ operator_id, certificate }).execute()
}
