/** `ig backup`: a copy of the SQLite database, also while the gateway serves (specification 23.6). */
import { existsSync, realpathSync, renameSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { copySqliteDatabase } from '../store/sqlite/copy-sqlite-database.ts'
import { isEmpty } from '../store/sqlite/files.ts'
import { removeAbandonedCopies, unfinishedCopyOf } from '../store/sqlite/unfinished-copy.ts'
import { forceName } from '../store/sqlite/write-ahead-log.ts'
import {
  formatSize,
  interruptibly,
  requireSqliteFile,
  showProgress,
  takeProjectAndFile,
} from '../terminal/database-file.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { print, printJson, show } from '../terminal/print.ts'

interface Options {
  readonly project: string
  readonly force?: boolean
  readonly json?: boolean
}

const postgres =
  'ig backup copies SQLite databases only. Back up PostgreSQL with its own tools:\n' +
  '  pg_dump --format=custom --file=gateway.dump "$IG_DATABASE"\n' +
  'or with continuous archiving (pg_basebackup) for point-in-time recovery. See Backup in docs/how-to/databases.md.'

export function backUp(command: Command): void {
  takeProjectAndFile(command)
    .description(
      'Copies a consistent snapshot of the SQLite database to one file, even while the gateway runs, and checks the ' +
        'copy. It leaves out the REST cache and the monitor, which are rebuilt. The file contains the password hashes ' +
        'of the operators; only its owner can read it.',
    )
    .option('--force', 'replace the file')
    .option('--json', 'print { "database", "file", "bytes" }')
    .addHelpText(
      'after',
      '\nExamples:\n  ig backup --project /srv/hr /backup/hr-monday.sqlite\n  ig restore --project /srv/hr /backup/hr-monday.sqlite',
    )
    .action(run)
}

async function run(file: string, { project, force = false, json = false }: Options): Promise<void> {
  const database = requireSqliteFile(project, postgres)
  if (isEmpty(database)) throw new Failure(`there is no database at ${show(database)}.`)
  const target = resolve(file)
  if (isSame(target, database)) throw new Failure(`${show(file)} is the database itself. Name another file.`)
  if (existsSync(target) && !force) throw new Failure(`${show(file)} exists. Replace it with --force.`)
  if (!existsSync(dirname(target))) throw new Failure(`there is no folder ${show(dirname(target))}.`)
  const bytes = await interruptibly(async (signal) => {
    removeAbandonedCopies(target)
    const copy = unfinishedCopyOf(target)
    await copySqliteDatabase(database, copy, { signal, onProgress: (share) => showProgress(share) })
    const { size } = statSync(copy)
    renameSync(copy, target)
    forceName(dirname(target))
    return size
  })
  if (bytes === undefined) return
  if (json) return printJson({ database, file: target, bytes })
  print(`${show(database)} is backed up to ${show(file)} (${formatSize(bytes)}). The copy passed its integrity check.`)
}

/** Also under another name: a link to it, or to its folder. */
function isSame(file: string, database: string): boolean {
  return existsSync(file) && realpathSync(file) === realpathSync(database)
}
