/** How Kysely writes SQL for SQLite. */
import { type Kysely, SqliteAdapter, SqliteIntrospector } from 'kysely'
import { MarkingCompiler } from './query-compiler.ts'

/** Shared by all transactions: it compiles synchronously and keeps no state between queries, and creating one binds a hundred methods. */
const compiler = new MarkingCompiler()

export const dialect = {
  createAdapter: () => new SqliteAdapter(),
  createQueryCompiler: () => compiler,
  createIntrospector: (database: Kysely<unknown>) => new SqliteIntrospector(database),
}
