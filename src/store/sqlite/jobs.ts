/** The statements of jobs for SQLite (specification 24.7). */
import { sql } from 'kysely'
import type { JobStatements } from '../jobs/contract.ts'

export const jobStatements: JobStatements = {
  clock: sql<number>`(unixepoch('subsec') * 1000)`,
  create: [],
  /** The transaction holds the file's write lock: until it ends no process can take the job over, and none can renew. */
  finalStatement: ({ name, token }, ended) => sql`
    update ig_job set token = null, ended = ${ended}, outcome = 'succeeded', reason = null, version = version + 1
    where name = ${name} and token = ${token}`,
}
