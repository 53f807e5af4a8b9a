/**
 * The login role of handlers (specification 5.16): the gateway's role grants it the project's tables at each start; it
 * must have no rights on the gateway's own. Otherwise the start is refused.
 */
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database.ts'
import { StoreUnavailable } from '../faults.ts'
import type { Tables } from '../tables.ts'
import { inTransaction, openHandlerTransaction } from '../transaction.ts'

/** Milliseconds, as for migrations: another process may be granting. */
const wait = 120_000

/** Grants and revokes the role's rights after the migrations. @throws StoreUnavailable */
export async function admitHandlers(own: Database, handlers: Database): Promise<void> {
  const theirs = await ask(handlers)
  const ours = await inTransaction(
    own,
    async (transaction) => {
      await own.lockMigrations(transaction)
      const found = await identify(transaction)
      if (findProblem(found, theirs) === undefined) await grant(transaction, theirs.role)
      return { ...found, ...(await readRights(transaction, theirs.role)) }
    },
    wait,
  )
  const problem = findProblem(ours, theirs) ?? findRight(ours, theirs)
  if (problem !== undefined)
    throw new StoreUnavailable(
      `ig.database.handlers: ${problem}. See the chapter "Roles of the database" of docs/how-to/databases.md.`,
    )
}

interface Identity {
  readonly role: string
  readonly database: string
  /** Start time of the server, to the microsecond. */
  readonly started: string
  readonly schema: string | null
}

async function ask(handlers: Database): Promise<Identity> {
  const transaction = openHandlerTransaction(handlers, { wait: 10_000 })
  try {
    return await identify(transaction.database)
  } catch (error) {
    throw new StoreUnavailable(
      `Cannot open the database for handlers (ig.database.handlers): ${(error as Error).message}`,
      {
        cause: error,
      },
    )
  } finally {
    await transaction.rollback()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: its tables do not matter
async function identify(database: Kysely<any>): Promise<Identity> {
  const question = sql<Identity>`select current_user::text as role, current_database()::text as database,
    pg_postmaster_start_time()::text as started, current_schema()::text as schema`
  const [row] = (await question.execute(database)).rows
  if (!row) throw new Error('The database does not report the current role')
  return row
}

function findProblem(ours: Identity, theirs: Identity): string | undefined {
  const { role } = theirs
  if (ours.started !== theirs.started || ours.database !== theirs.database)
    return 'it names another database than ig.database'
  if (ours.role === role) return `${role} is the role of ig.database too. Give handlers a role of their own`
  if (ours.schema !== theirs.schema)
    return `${role} finds tables in the schema ${theirs.schema}, the gateway in ${ours.schema}. Run: alter role ${role} set search_path = ${ours.schema}`
  return undefined
}

/** The gateway's tables, and the views and rules that reach them with the rights of their owner. */
const reaching = sql.raw(`with recursive reaching (oid) as (
    select oid from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname like 'ig\\_%'
    union
    select rule.ev_class from reaching
    join pg_depend on refclassid = 'pg_class'::regclass and refobjid = reaching.oid and classid = 'pg_rewrite'::regclass
    join pg_rewrite as rule on rule.oid = objid
  )`)

/**
 * The rights it lacks on the project's tables, and those it has on the gateway's, if the gateway's role may change
 * them.
 */
async function grant(transaction: Kysely<Tables>, role: string): Promise<void> {
  const { rows } = await sql<{ statement: string }>`${reaching}
    select format('grant usage on schema %I to %I', nspname, ${role}::text) as statement
    from pg_namespace
    where nspname = current_schema() and pg_has_role(nspowner, 'usage') and not has_schema_privilege(${role}, oid, 'usage')
    union all
    select case
      when ${isOurs} then format('revoke all on %s from %I, public', oid::regclass, ${role}::text)
      when relkind = 'S' then format('grant usage, select, update on sequence %s to %I', oid::regclass, ${role}::text)
      else format('grant select, insert, update, delete, truncate on %s to %I', oid::regclass, ${role}::text)
    end
    from pg_class
    where relnamespace = current_schema()::regnamespace and pg_has_role(relowner, 'usage') and case
      when relkind not in ('r', 'p', 'v', 'm', 'f', 'S') then false
      when ${isOurs} then relkind <> 'S' and has_table_privilege(${role}, oid, ${every})
      when relkind = 'S' then not (has_sequence_privilege(${role}, oid, 'usage') and has_sequence_privilege(${role}, oid, 'update'))
      else not (has_table_privilege(${role}, oid, 'select') and has_table_privilege(${role}, oid, 'insert')
        and has_table_privilege(${role}, oid, 'update') and has_table_privilege(${role}, oid, 'delete')
        and has_table_privilege(${role}, oid, 'truncate'))
    end`.execute(transaction)
  for (const { statement } of rows) await sql.raw(statement).execute(transaction)
}

const isOurs = sql.raw("(relname like 'ig\\_%' or oid in (select oid from reaching))")

interface Rights {
  /** A table of the gateway, or an object that reaches one, on which the role has a right. */
  readonly reached: string | null
  /** A role, maybe itself, that gives it a right over the whole server. */
  readonly power: string | null
  /** Whether it can create objects in the gateway's schema, or drop these tables. */
  readonly mayCreate: boolean
  readonly isSuperuser: boolean
  /** Whether the gateway's role may cancel its statements. */
  readonly mayCancel: boolean
}

/** A member of a role that does not inherit its rights gets them by `set role`. */
async function readRights(transaction: Kysely<Tables>, role: string): Promise<Rights> {
  const question = sql<Rights>`${reaching}, roles as (select * from pg_roles where pg_has_role(${role}, oid, 'member'))
    select
    (select min(relname::text) from pg_class, roles
      where pg_class.oid in (select oid from reaching) and (has_table_privilege(roles.oid, pg_class.oid, ${every})
        or has_any_column_privilege(roles.oid, pg_class.oid, ${everyOfColumns}) or roles.oid = relowner)) as reached,
    (select min(rolname::text) from roles where rolsuper or rolcreaterole or rolreplication
      or rolname in ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')) as power,
    exists (select from roles, pg_namespace, pg_database
      where nspname = current_schema() and datname = current_database()
        and (has_schema_privilege(roles.oid, nspname, 'create') or roles.oid in (nspowner, datdba))) as "mayCreate",
    (select rolsuper from pg_roles where rolname = ${role}) as "isSuperuser",
    pg_has_role(${role}, 'usage') as "mayCancel"`
  const [row] = (await question.execute(transaction)).rows
  return row ?? { reached: null, power: role, mayCreate: true, isSuperuser: true, mayCancel: false }
}

const every = 'select, insert, update, delete, truncate, references, trigger'
const everyOfColumns = 'select, insert, update, references'

function findRight(
  { role: own, schema, reached, power, mayCreate, isSuperuser, mayCancel }: Identity & Rights,
  { role }: Identity,
): string | undefined {
  if (isSuperuser) return `${role} is a superuser. Give handlers a role that is not`
  if (power !== null)
    return `${role} has a right over the server, by itself or as a member of ${power}: superuser, createrole, replication, or its files and programs. Revoke it`
  if (reached !== null)
    return `${role} has rights on ${reached}, by itself or as a member of another role. Revoke them and the membership`
  if (mayCreate)
    return `${role} may create objects in the schema ${schema} of the gateway, or owns it or the database. Run: revoke create on schema ${schema} from ${role}, public`
  if (!mayCancel) return `${own} cannot cancel a statement of ${role}. Run: grant ${role} to ${own}`
  return undefined
}
