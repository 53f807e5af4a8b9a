/**
 * The schema of the gateway's own tables (specification 17.23): that of the installation in the database, whatever the
 * search path of the role; for a new one, the first schema of that path.
 */
import { StoreUnavailable } from '../faults.ts'

export interface Schemas {
  readonly role: string
  /** Where the role creates tables. */
  readonly current: string | null
  /** The schemas of the search path that exist. */
  readonly path: readonly string[]
  /** The search path as the setting has it, with `"$user"`. */
  readonly searchPath: string
  readonly encoding: string
  /** Schemas with an installation, also of other roles. */
  readonly installations: readonly string[]
}

/** Returns one row of Schemas. */
export const schemasQuery = `select current_user::text as role, current_schema()::text as current,
  current_schemas(false)::text[] as path, current_setting('search_path') as "searchPath",
  current_setting('server_encoding') as encoding,
  array(select nspname::text from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relname = 'ig_migration' and relkind in ('r', 'p') and relpersistence <> 't'
    order by nspname) as installations`

/** A text may have any character. @throws StoreUnavailable */
export function requireUtf8({ encoding }: Schemas): void {
  if (encoding === 'UTF8') return
  throw new StoreUnavailable(
    `the encoding of the database is ${encoding}, and must be UTF8. Run: create database <name> encoding 'UTF8' template template0`,
  )
}

/** @returns the schema of the installation @throws StoreUnavailable if there are two, or would be */
export function findInstallation(schemas: Schemas): string {
  const { role, current, path } = schemas
  const [one, other] = others(schemas)
  if (one === undefined && current === null)
    throw new StoreUnavailable(
      `no schema of the search path of ${role} exists. Run: create schema ${role} authorization ${role}`,
    )
  if (one === undefined) return current as string
  if (other !== undefined) throw new StoreUnavailable(describeTwo(one, other))
  if (path.includes(one)) return one
  throw new StoreUnavailable(
    `the installation is in the schema ${one}, which is not in the search path of ${role} (${path.join(', ')}), and a new ` +
      `one would be made beside it. To use it, run: alter role ${role} set search_path = ${one}. For a new one, create a database`,
  )
}

export function describeTwo(one: string, other: string): string {
  return (
    `there are two installations, in the schemas ${one} and ${other}: calls and rows would be split between them. Keep ` +
    'the one with your revisions and operators, and rename or drop the tables ig_* of the other, or its schema'
  )
}

/** The testing kit has a schema for each test, which is no installation for others. */
function others({ current, installations }: Schemas): readonly string[] {
  const isTest = (schema: string) => schema.startsWith('ig_test_')
  if (current !== null && isTest(current)) return installations.filter((schema) => schema === current)
  return installations.filter((schema) => !isTest(schema))
}
