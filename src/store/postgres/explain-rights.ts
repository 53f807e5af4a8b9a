/** Errors of missing rights and tables, with the role and what it wanted: the server names only the object. */
import pg from 'pg'

const insufficientPrivilege = '42501'
const undefinedTable = '42P01'
const gatewayTable = /"(?:[^"]+\.)?ig_\w+"/

/** @returns the same error */
export function explainRights(error: unknown, user: string | undefined, sql: string): unknown {
  const role = user ?? 'of ig.database'
  if (!(error instanceof pg.DatabaseError)) return error
  const verb = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'SQL'
  if (error.code === insufficientPrivilege) error.message += `: the role ${role} may not run this ${verb}`
  if (error.code === undefinedTable)
    error.message += gatewayTable.test(error.message)
      ? ': it is a table of the gateway, which no command creates again; restore the database from a backup'
      : ` in the search path of the role ${role}: run the migration that creates it, or correct the path`
  return error
}
