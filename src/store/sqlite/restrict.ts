/**
 * Restricts the SQL of handlers and of the project's migrations on a connection shared with the gateway's own SQL
 * (specification 5.15). SQLite calls the authorizer when it prepares a statement, also for everything that triggers,
 * views and foreign keys reach.
 */
import { constants, type DatabaseSync } from 'node:sqlite'

export interface Restriction {
  /** The origin of the next prepared statements. */
  isActive: boolean
  prepare<T>(sql: string, prepare: (sql: string) => T): T
}

/** Set once, when the connection is opened: another authorizer would invalidate all prepared statements. */
export function restrict(database: DatabaseSync): Restriction {
  let prepared = ''
  let denied: string | undefined
  const restriction: Restriction = {
    isActive: false,
    prepare(sql, prepare) {
      if (!restriction.isActive) return prepare(sql)
      prepared = sql
      denied = undefined
      try {
        return prepare(sql)
      } catch (error) {
        throw denied === undefined ? error : denial(denied)
      } finally {
        prepared = ''
      }
    },
  }
  database.setAuthorizer((action, first, second) => {
    if (!restriction.isActive) return c.SQLITE_OK
    const found = findDenial(action, first ?? '', second ?? '', prepared)
    denied ??= found
    return found === undefined ? c.SQLITE_OK : c.SQLITE_DENY
  })
  return restriction
}

const c = constants

function denial(reason: string): Error {
  const message = `The SQL of handlers and migrations is restricted: ${reason}. Keep data in tables of your own.`
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: 23 }) // SQLITE_AUTH
}

function findDenial(action: number, first: string, second: string, sql: string): string | undefined {
  const names = namesTableSecond.has(action) ? [first, second] : [first]
  const own = names.find((name) => /^ig_/i.test(name))
  if (own !== undefined) return `${own} belongs to the gateway, as every name that begins with ig_`
  // SQLite authorizes what a trigger, a view or a foreign key reaches when that is used, and never for a new name
  if (definitions.has(action) && /(?<![\w$])ig_/i.test(sql)) return 'names that begin with ig_ belong to the gateway'
  return denials.get(action)?.(first.toLowerCase(), second.toLowerCase())
}

const namesTableSecond = new Set([
  c.SQLITE_ALTER_TABLE,
  c.SQLITE_CREATE_INDEX,
  c.SQLITE_CREATE_TEMP_INDEX,
  c.SQLITE_CREATE_TEMP_TRIGGER,
  c.SQLITE_CREATE_TRIGGER,
  c.SQLITE_DROP_INDEX,
  c.SQLITE_DROP_TEMP_INDEX,
  c.SQLITE_DROP_TEMP_TRIGGER,
  c.SQLITE_DROP_TRIGGER,
])

const definitions = new Set([
  c.SQLITE_ALTER_TABLE,
  c.SQLITE_CREATE_TABLE,
  c.SQLITE_CREATE_TEMP_TABLE,
  c.SQLITE_CREATE_TEMP_TRIGGER,
  c.SQLITE_CREATE_TEMP_VIEW,
  c.SQLITE_CREATE_TRIGGER,
  c.SQLITE_CREATE_VIEW,
  c.SQLITE_CREATE_VTABLE,
])

/** It would hide the project's table of that name in every later call. */
const findTemporary = () => 'temporary objects would outlive the call'

type FindDenial = (first: string, second: string) => string | undefined

const denials: ReadonlyMap<number, FindDenial> = new Map<number, FindDenial>([
  [c.SQLITE_ATTACH, () => 'no other database can be attached'],
  [c.SQLITE_DETACH, () => 'no database can be detached'],
  [c.SQLITE_CREATE_TEMP_TABLE, findTemporary],
  [c.SQLITE_CREATE_TEMP_TRIGGER, findTemporary],
  [c.SQLITE_CREATE_TEMP_VIEW, findTemporary],
  [c.SQLITE_SAVEPOINT, () => 'the gateway begins and ends the transaction'],
  [c.SQLITE_TRANSACTION, () => 'the gateway begins and ends the transaction'],
  [c.SQLITE_FUNCTION, (_, name) => (name === 'load_extension' ? 'no extension can be loaded' : undefined)],
  [c.SQLITE_PRAGMA, findPragmaDenial],
  [c.SQLITE_READ, (name) => (name.startsWith('pragma_') ? findPragmaDenial(name.slice(7)) : undefined)],
])

function findPragmaDenial(name: string): string | undefined {
  return harmless.has(name) ? undefined : `the pragma ${name} is not allowed`
}

/** They only read, or last no longer than the transaction. */
const harmless = new Set([
  'collation_list',
  'data_version',
  'database_list',
  'defer_foreign_keys',
  'foreign_key_check',
  'foreign_key_list',
  'function_list',
  'index_info',
  'index_list',
  'index_xinfo',
  'table_info',
  'table_list',
  'table_xinfo',
])
