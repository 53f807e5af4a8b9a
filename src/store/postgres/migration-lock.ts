/**
 * Only one gateway at a time migrates a PostgreSQL database (specification 17.9). Any role of the database can take an
 * advisory lock: the wait for it is limited, and the error names the holder.
 */
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { StoreUnavailable } from '../faults.ts'
import type { Tables } from '../tables.ts'
import { describeTwo, findInstallation, type Schemas, schemasQuery } from './installation.ts'

/** The lock of all gateways. */
const migrationLock = 0x6967_6d69

const lockNotAvailable = '55P03'

/**
 * @param schema of the installation; no other one may have come meanwhile @param wait milliseconds
 * @throws StoreUnavailable
 */
export async function lockMigrations(
  transaction: Kysely<Tables>,
  reader: Kysely<Tables>,
  schema: string,
  wait: number,
): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(wait)}`.execute(transaction)
  try {
    await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== lockNotAvailable) throw error
    const holder = await findHolder(reader).catch(() => undefined)
    throw new StoreUnavailable(describe(holder, wait), { cause: error })
  }
  await sql`set local lock_timeout to default`.execute(transaction) // the migrations themselves may wait for locks
  const { rows } = await sql.raw<Schemas>(schemasQuery).execute(transaction)
  const found = rows[0] && findInstallation(rows[0])
  if (found !== schema) throw new StoreUnavailable(`In this database ${describeTwo(schema, String(found))}.`)
}

interface Holder {
  readonly pid: number
  readonly role: string | null
  readonly application: string | null
  readonly address: string | null
}

async function findHolder(reader: Kysely<Tables>): Promise<Holder | undefined> {
  const question = sql<Holder>`select pid, usename::text as role, application_name as application, client_addr::text as address
    from pg_locks left join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and classid = 0 and objid = ${sql.lit(migrationLock)} and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())`
  return (await question.execute(reader)).rows[0]
}

function describe(holder: Holder | undefined, wait: number): string {
  const waited = `Another process has locked the database for migrations for more than ${wait / 1000} seconds`
  if (!holder) return `${waited}. Start the gateway again.`
  const { pid, role, application, address } = holder
  const facts = [
    `process ${pid} of the PostgreSQL server`,
    ...(role ? [`role ${role}`] : []),
    ...(application ? [`application ${application}`] : []),
    ...(address ? [`from ${address}`] : []),
  ]
  return `${waited}: ${facts.join(', ')}. Start the gateway again when it is done, or end it: select pg_terminate_backend(${pid})`
}
