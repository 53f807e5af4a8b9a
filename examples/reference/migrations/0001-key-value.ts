/** C_KEY_VALUE, the staging record of KEY_VALUE (specification 9.3). */
import { type HandlerDatabase, identityColumn } from 'integration-gateway'

export const name = '0001-key-value'

export async function up(database: HandlerDatabase) {
  await database.schema
    .createTable('C_KEY_VALUE')
    .addColumn('ROW_NBR', identityColumn(database)) // the order of insertion, which times alone cannot tell
    .addColumn('IBTRANSACTIONID', 'char(36)', (column) => column.notNull())
    .addColumn('KEY1', 'varchar(254)', (column) => column.notNull())
    .addColumn('LONGVALUE', 'text', (column) => column.notNull())
    .addColumn('ADD_DTTM', 'timestamp', (column) => column.notNull())
    .execute()
  await database.schema.createIndex('C_KEY_VALUE_KEY1').on('C_KEY_VALUE').column('KEY1').execute()
}
