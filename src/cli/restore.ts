/** `ig restore`: replaces the SQLite database of a stopped gateway with a backup (specification 23.7). */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { isEmpty } from '../store/sqlite/files.ts'
import { restoreDatabase } from '../store/sqlite/restore.ts'
import { type AuthorOptions, addAuthorOption, entryOf } from '../terminal/audited.ts'
import { interruptibly, requireSqliteFile, showProgress, takeProjectAndFile } from '../terminal/database-file.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { print, printJson, show } from '../terminal/print.ts'

const postgres =
  'ig restore restores SQLite databases only. For PostgreSQL, stop every instance, then run:\n' +
  '  pg_restore --clean --if-exists --single-transaction --dbname="$IG_DATABASE" gateway.dump\n' +
  'See Backup in docs/how-to/databases.md.'

export function restore(command: Command): void {
  takeProjectAndFile(command)
    .description(
      'Checks a backup and replaces the SQLite database of a project with it. Fails while the gateway is running. The ' +
        'previous database is kept next to it; the REST cache starts empty.',
    )
    .option('--json', 'print { "database", "file", "former" }')
    .addHelpText('after', '\nExample:\n  ig restore --project /srv/hr /backup/hr-monday.sqlite')
    .action(run)
  addAuthorOption(command)
}

interface Options extends AuthorOptions {
  readonly project: string
  readonly json?: boolean
}

async function run(file: string, { project, json = false, ...author }: Options): Promise<void> {
  const source = resolve(file)
  const entry = entryOf(author, { action: 'restoreDatabase', subject: source })
  const database = requireSqliteFile(project, postgres)
  if (source === database) throw new Failure(`${show(file)} is the database itself. Name a backup of it.`)
  if (isEmpty(source)) throw new Failure(`there is no backup at ${show(file)}, or it is empty.`)
  const restored = await interruptibly(async (signal) => {
    return { former: await restoreDatabase(source, database, entry, { signal, onProgress: showProgress }) }
  })
  if (!restored) return
  const { former } = restored
  if (json) return printJson({ database, file: source, former: former ?? null })
  print(`${show(database)} is restored from ${show(file)}. Start the gateway.`)
  if (former) print(`The previous database is kept as ${show(former)}.`)
}
