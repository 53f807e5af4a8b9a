/**
 * A separate process: reads a copied database completely, closes it as one file, and prints the result (specification
 * 23.6).
 */
import { DatabaseSync } from 'node:sqlite'

export interface CheckedCopy {
  /** The first damage found. */
  readonly damage: string | null
  /** The gateway's own migrations; null if there are none. */
  readonly migrations: readonly string[] | null
}

process.on('SIGINT', () => {}) // of a terminal; the parent process ends this one
process.stdout.write(JSON.stringify(checkCopy(process.argv[2] ?? '')))

function checkCopy(file: string): CheckedCopy {
  try {
    const database = new DatabaseSync(file)
    database.exec('pragma journal_mode=delete')
    const found = database.prepare('pragma integrity_check(1)').get()?.integrity_check
    const isGateway = database.prepare("select 1 from sqlite_schema where name = 'ig_migration'").get()
    const rows = isGateway ? database.prepare('select name from ig_migration').all() : undefined
    database.close()
    return { damage: found === 'ok' ? null : String(found), migrations: rows?.map(({ name }) => String(name)) ?? null }
  } catch (error) {
    return { damage: (error as Error).message, migrations: null }
  }
}
