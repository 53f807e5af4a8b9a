/** Warns if handlers can access the tables of the gateway (specification 5.16); only in production. */
import type { Problem } from '../model/problem.ts'

interface Places {
  readonly database: string
  readonly databaseHandlers: string | undefined
}

/** The warnings of a start and of `ig check`. */
export function findRoleWarnings({ database, databaseHandlers }: Places): readonly Problem[] {
  const isPostgres = /^postgres(?:ql)?:/i.test(database)
  if (isPostgres === (databaseHandlers !== undefined)) return []
  const message = isPostgres
    ? 'is not set: the SQL of handlers has the role of the gateway, which can change operators, revisions and the audit. Give handlers a role of their own (docs/how-to/databases.md, Roles of the database)'
    : 'has no effect with SQLite, where the SQL of handlers cannot access tables of the gateway'
  return [{ path: 'ig.database.handlers', message }]
}
