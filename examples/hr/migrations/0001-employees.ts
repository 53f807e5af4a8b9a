/** Employees, what happened to them, and their photos. */
import { bytesColumn, decimalColumn, type HandlerDatabase, identityColumn } from 'integration-gateway'

export const name = '0001-employees'

export async function up(database: HandlerDatabase) {
  await database.schema
    .createTable('EMPLOYEE')
    .addColumn('EMPLID', 'varchar(6)', (column) => column.primaryKey())
    .addColumn('NAME', 'varchar(100)', (column) => column.notNull())
    .addColumn('DEPTID', 'varchar(10)', (column) => column.notNull())
    .addColumn('EMAIL', 'varchar(254)')
    .addColumn('HIRE_DT', 'date', (column) => column.notNull())
    .addColumn('SALARY', decimalColumn(database, 12, 2), (column) => column.notNull())
    .addColumn('ACTIVE', 'boolean', (column) => column.notNull())
    .addColumn('OPRID', 'varchar(30)')
    .execute()
  await database.schema.createIndex('EMPLOYEE_DEPTID').on('EMPLOYEE').columns(['DEPTID', 'EMPLID']).execute()
  await database.schema
    .createTable('EMPLOYEE_ACTION')
    .addColumn('ACTION_NBR', identityColumn(database))
    .addColumn('EMPLID', 'varchar(6)', (column) => column.notNull().references('EMPLOYEE.EMPLID'))
    .addColumn('ACTION', 'varchar(3)', (column) => column.notNull())
    .addColumn('OPRID', 'varchar(30)', (column) => column.notNull())
    .addColumn('ACTION_DTTM', 'timestamp', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('EMPLOYEE_PHOTO')
    .addColumn('EMPLID', 'varchar(6)', (column) => column.primaryKey().references('EMPLOYEE.EMPLID'))
    .addColumn('CONTENT_TYPE', 'varchar(60)', (column) => column.notNull())
    .addColumn('PHOTO', bytesColumn(database), (column) => column.notNull())
    .addColumn('DIGEST', 'char(64)', (column) => column.notNull())
    .execute()
}
