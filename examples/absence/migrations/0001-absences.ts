/** Requests for absence. */
import { type HandlerDatabase, identityColumn } from 'integration-gateway'

export const name = '0001-absences'

export async function up(database: HandlerDatabase) {
  await database.schema
    .createTable('ABSENCE')
    .addColumn('REQUEST_ID', identityColumn(database))
    .addColumn('EMPLID', 'varchar(6)', (column) => column.notNull())
    .addColumn('BEGIN_DT', 'date', (column) => column.notNull())
    .addColumn('END_DT', 'date', (column) => column.notNull())
    .execute()
}
