/**
 * The login role of handlers (specification 5.16): it has rights on the project's tables, which the gateway's role gives at each
 * start, and none on the gateway's own. A start where it has some is refused.
 */
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database.ts'
import { StoreUnavailable } from '../store.ts'
import type { Tables } from '../tables.ts'
import { inTransaction, openTransaction } from '../transaction.ts'

/** Milliseconds, as for migrations: others may be under way. */
const wait = 120_000

/** After the migrations. @throws StoreUnavailable */
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
      `ig.database.handlers: ${problem}. See the chapter "Roles of the database" of docs/operating.md.`,
    )
}

interface Identity {
  readonly role: string
  readonly database: string
  /** Of the server, to the microsecond. */
  readonly started: string
  readonly schema: string | null
}

async function ask(handlers: Database): Promise<Identity> {
  const transaction = openTransaction(handlers, { wait: 10_000 })
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
  if (!row) throw new Error('The database does not say who is asking')
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

/** What it lacks of the project's tables, and what it has of the gateway's, as far as the gateway's role may decide. */
async function grant(transaction: Kysely<Tables>, role: string): Promise<void> {
  const { rows } = await sql<{ statement: string }>`
    select format('grant usage on schema %I to %I', nspname, ${role}::text) as statement
    from pg_namespace
    where nspname = current_schema() and pg_has_role(nspowner, 'usage') and not has_schema_privilege(${role}, oid, 'usage')
    union all
    select case
      when relname like 'ig\\_%' then format('revoke all on %s from %I, public', oid::regclass, ${role}::text)
      when relkind = 'S' then format('grant usage, select, update on sequence %s to %I', oid::regclass, ${role}::text)
      else format('grant select, insert, update, delete, truncate on %s to %I', oid::regclass, ${role}::text)
    end
    from pg_class
    where relnamespace = current_schema()::regnamespace and pg_has_role(relowner, 'usage') and case
      when relkind not in ('r', 'p', 'v', 'm', 'f', 'S') then false
      when relname like 'ig\\_%' then relkind <> 'S' and has_table_privilege(${role}, oid, ${every})
      when relkind = 'S' then not (has_sequence_privilege(${role}, oid, 'usage') and has_sequence_privilege(${role}, oid, 'update'))
      else not (has_table_privilege(${role}, oid, 'select') and has_table_privilege(${role}, oid, 'insert')
        and has_table_privilege(${role}, oid, 'update') and has_table_privilege(${role}, oid, 'delete')
        and has_table_privilege(${role}, oid, 'truncate'))
    end`.execute(transaction)
  for (const { statement } of rows) await sql.raw(statement).execute(transaction)
}

interface Rights {
  /** A table of the gateway on which the role has some right. */
  readonly reached: string | null
  readonly isSuperuser: boolean
  /** Whether the gateway's role may end a statement of the other one. */
  readonly mayCancel: boolean
}

async function readRights(transaction: Kysely<Tables>, role: string): Promise<Rights> {
  const question = sql<Rights>`select
    (select min(relname::text) from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname like 'ig\\_%'
        and (has_table_privilege(${role}, oid, ${every}) or has_any_column_privilege(${role}, oid, ${everyOfColumns})
          or pg_has_role(${role}, relowner, 'member'))) as reached,
    (select rolsuper from pg_roles where rolname = ${role}) as "isSuperuser",
    pg_has_role(${role}, 'usage') as "mayCancel"`
  const [row] = (await question.execute(transaction)).rows
  return row ?? { reached: null, isSuperuser: true, mayCancel: false }
}

const every = 'select, insert, update, delete, truncate, references, trigger'
const everyOfColumns = 'select, insert, update, references'

function findRight(
  { role: own, reached, isSuperuser, mayCancel }: Identity & Rights,
  { role }: Identity,
): string | undefined {
  if (isSuperuser) return `${role} is a superuser. Give handlers a role that is none`
  if (reached !== null)
    return `${role} has rights on ${reached}, by itself or as a member of another role. Take them from it, and its membership`
  if (!mayCancel) return `${own} cannot cancel a statement of ${role}. Run: grant ${role} to ${own}`
  return undefined
}
