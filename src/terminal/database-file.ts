/**
 * Shared by `ig backup` and `ig restore`: arguments, advice for PostgreSQL, progress, and Ctrl-C (specification 23.6,
 * 23.7).
 */
import type { Command } from 'commander'
import { Failure } from './explain-failure.ts'
import { projectOption, readProjectSettings, requireProjectFolder } from './project-options.ts'
import { terminal } from './terminal.ts'

export function takeProjectAndFile(command: Command): Command {
  return command.argument('<file>', 'the backup').option(...projectOption)
}

/** @param postgres advice for PostgreSQL @returns the SQLite file */
export function requireSqliteFile(project: string, postgres: string): string {
  requireProjectFolder(project)
  const { database } = readProjectSettings(project)
  if (/^postgres(ql)?:/i.test(database)) throw new Failure(postgres)
  return database
}

/** The first Ctrl-C aborts, with exit code 130. @returns undefined then */
export async function interruptibly<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const interrupted = new AbortController()
  const abort = () => interrupted.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, abort)
  try {
    return await work(interrupted.signal)
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
    terminal().stderr.write('ig: interrupted. Nothing was changed.\n')
    terminal().exitCode = 130
    return undefined
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, abort)
  }
}

/** Shows the progress on one line, only on a terminal. */
export function showProgress(share: number, during = 'Copying', after = 'Checking the copy…'): void {
  const { stderr } = terminal()
  if (!stderr.isTTY) return
  const percent = Math.floor(share * 100)
  stderr.write(percent < 100 ? `\r${during}: ${percent} %` : `\r${after}\n`)
}

export function formatSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
