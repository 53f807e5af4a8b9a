/** The end of every import: the project or its errors, then what to review, and the notes (specification 16.9). */
import { quoteShell } from '../../base/escape.ts'
import type { Problem } from '../../model/problem.ts'
import { Failure } from '../../terminal/explain-failure.ts'
import { print, printJson, show } from '../../terminal/print.ts'
import { terminal } from '../../terminal/terminal.ts'
import { requireReplaceable } from './write-folder.ts'
import { listProblems, writeNotes } from './write-notes.ts'

export interface ImportOptions {
  readonly into?: string
  /** Imports operations without credentials that nothing declares open. */
  readonly open?: boolean
  /** Notes are errors. */
  readonly strict?: boolean
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly json?: boolean
}

export interface Conclusion {
  /** The name of the source in errors. */
  readonly source: string
  readonly notices: readonly Problem[]
  readonly problems: readonly Problem[]
  /** @returns what is wrong with the project; nothing is written unless this is empty */
  readonly write: (folder: string) => Promise<readonly Problem[]>
  /** What `--json` prints besides. */
  readonly found: { readonly operations: readonly unknown[]; readonly [name: string]: unknown }
  readonly review: () => readonly string[]
  readonly next: (folder: string) => readonly string[]
}

export interface Import {
  readonly defaultFolder: string
  /** @throws Failure if it cannot be read at all */
  readonly require: () => void
  readonly read: () => Promise<Conclusion> | Conclusion
  /** What `--json` prints where nothing can be read. */
  readonly nothing: Conclusion['found']
}

export async function runImport(
  { defaultFolder, require, read, nothing }: Import,
  { into: folder = defaultFolder, strict = false, dryRun = false, force = false, json = false }: ImportOptions,
): Promise<void> {
  try {
    require()
    if (!dryRun) requireReplaceable(folder, force)
    const { source, notices, problems: found, ...conclusion } = await read()
    const wrong = strict ? [...found, ...notices] : found
    const problems = wrong.length > 0 ? wrong : await conclusion.write(folder)
    const isWritten = problems.length === 0 && !dryRun
    if (problems.length > 0) terminal().exitCode = 1
    if (json) return printJson({ folder: isWritten ? folder : null, ...conclusion.found, notices, problems })
    if (problems.length > 0) throw new Failure(writeFailure(source, problems, strict ? [] : notices))
    print([...conclusion.review(), ...writeNotes(notices), ''].join('\n'))
    if (!isWritten) return print('Nothing is written (--dry-run).')
    const { length } = conclusion.found.operations
    const head = `${length} operation${length === 1 ? '' : 's'} in ${show(folder)}. Next:`
    print([head, `  ig dev ${quoteShell(folder)}`, ...conclusion.next(folder)].join('\n'))
  } catch (error) {
    if (!json || !(error instanceof Failure)) throw error
    terminal().exitCode = 1
    printJson({ folder: null, ...nothing, notices: [], problems: [{ path: '', message: error.message }] })
  }
}

function writeFailure(source: string, problems: readonly Problem[], notices: readonly Problem[]): string {
  const count = problems.length === 1 ? 'an error' : `${problems.length} errors`
  const head = `${show(source)} has ${count}; nothing is written:`
  return [head, ...listProblems(problems), ...writeNotes(notices)].join('\n')
}
