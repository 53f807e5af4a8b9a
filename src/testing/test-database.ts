/**
 * The database of a test (specification 11.4): a temporary SQLite file; a file that the test names, which stays; or a
 * schema of its own in a PostgreSQL database, so that tests can run on one server at the same time.
 */
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { parsePostgresUrl, postgresUrlForm } from '../base/postgres-url.ts'
import { reasonOf, StoreUnavailable } from '../store/faults.ts'

export interface TestDatabase {
  /** The value of `ig.database`. */
  readonly place: string
  /** Called after the gateway has closed it. */
  remove(): Promise<void>
}

/** @param folder temporary, for a database that is not given @param base of a relative path */
export async function openTestDatabase(
  given: string | undefined,
  folder: string,
  base = process.cwd(),
): Promise<TestDatabase> {
  if (given === undefined) return { place: join(folder, 'gateway.sqlite'), remove: async () => {} }
  if (/^postgres(ql)?:/i.test(given)) return openSchema(given)
  return { place: resolve(base, given), remove: async () => {} }
}

async function openSchema(given: string): Promise<TestDatabase> {
  const url = parsePostgresUrl(given)
  if (!url) throw new StoreUnavailable(`The PostgreSQL URL of the test is not valid. Write ${postgresUrlForm}`)
  const schema = `ig_test_${Date.now().toString(36)}_${randomBytes(6).toString('hex')}`
  await run(given, `create schema ${schema}`)
  const options = url.searchParams.get('options')
  const path = `-c search_path=${schema},public`
  url.searchParams.set('options', options === null ? path : `${options} ${path}`)
  return { place: url.href, remove: () => run(given, `drop schema if exists ${schema} cascade`) }
}

/** Runs a statement on a separate connection. */
async function run(connectionString: string, statement: string): Promise<void> {
  const { default: pg } = await import('pg') // loaded here, because SQLite does not need the driver
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 })
  try {
    await client.connect()
    await client.query(statement)
  } catch (cause) {
    throw new StoreUnavailable(`The PostgreSQL database of the test cannot be used: ${reasonOf(cause)}`, { cause })
  } finally {
    await client.end().catch(() => {})
  }
}
