/** `ig operator import` and `export`: many operators in one file (specification 37). */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { runConcurrently } from '../base/run-concurrently.ts'
import type { OperatorChange, PreparedEntry } from '../model/operator-file/apply-entry.ts'
import type { OperatorEntry } from '../model/operator-file/entry.ts'
import type { FileFormat } from '../model/operator-file/read-operator-file.ts'
import { summarizeImport } from '../model/operator-file/summarize-import.ts'
import type { Problem } from '../model/problem.ts'
import { wrapDigest } from '../steps/credentials/old-password.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { type AuthorOptions, entryOf, readAuthor } from '../terminal/audited.ts'
import { Failure, formatProblems } from '../terminal/explain-failure.ts'
import { readKnownLists } from '../terminal/known-lists.ts'
import { colours, print, printJson, report, show } from '../terminal/print.ts'
import { readProjectSettings, requireProjectFolder } from '../terminal/project-options.ts'
import type { Subverbs } from '../terminal/subverbs.ts'
import { terminal } from '../terminal/terminal.ts'
import { writeWhole } from '../terminal/write-whole.ts'

interface Options extends AuthorOptions {
  readonly project: string
  readonly json?: boolean
}

interface ImportOptions extends Options {
  readonly dryRun?: boolean
}

interface ExportOptions extends Options {
  readonly out?: string
  readonly force?: boolean
  readonly passwordHashes?: boolean
}

export function addFileVerbs({ change, read }: Subverbs): void {
  change('import <file>', 'add and change the operators of a CSV or JSON file, all or none')
    .option('--dry-run', 'show what would change')
    .action(importFile)
  read('export', 'write all operators as CSV, or as JSON, in the form that import reads')
    .option('--out <file>', 'write to this file, which must not exist, instead of standard output')
    .option('--force', 'replace the file')
    .option('--password-hashes', 'with the hashes of their passwords')
    .action(exportFile)
}

async function importFile(file: string, options: ImportOptions): Promise<void> {
  requireProjectFolder(options.project)
  readAuthor(options)
  const { text, format } = readText(file)
  const { readOperatorFile, findUnknownLists } = await import('../model/operator-file/read-operator-file.ts')
  const { entries, problems } = readOperatorFile(text, format)
  const lists = [...new Set(entries.flatMap(({ permissionLists = [] }) => permissionLists))]
  const unknown = findUnknownLists(entries, await readKnownLists(options.project, lists))
  if (problems.length + unknown.length > 0) return refuse([...problems, ...unknown], options)
  await withStore(options, async (store) => {
    const hasDigests = entries.some(({ passwordSha1Utf16le }) => passwordSha1Utf16le !== undefined)
    const planned = options.dryRun || hasDigests ? await store.operators.preview(entries) : []
    if (options.dryRun) return tell(planned, entries.length, options, 'Nothing was imported (--dry-run).')
    const prepared = await wrapDigests(entries, planned)
    const digest = hash('sha256', text)
    const describeImport = (result: unknown) =>
      entryOf(options, {
        action: 'importOperators',
        subject: `${entries.length} operators`,
        after: { file: `sha256:${digest}`, ...summarizeImport(result as readonly OperatorChange[]) },
      })
    const changes = (await store.audited(describeImport).operators.import(prepared)) || []
    tell(changes, entries.length, options, 'All are stored.')
  })
}

function refuse(problems: readonly Problem[], { json }: Options): void {
  terminal().exitCode = 1
  if (json) printJson({ problems })
  else report(`ig: ${formatProblems('Nothing was imported. The file has', problems)}`)
}

function readText(file: string): { readonly text: string; readonly format: FileFormat } {
  const format = extname(file).toLowerCase().slice(1)
  if (format !== 'csv' && format !== 'json') throw new Failure(`${show(file)} must end with .csv or .json.`)
  try {
    return { format, text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)) }
  } catch (error) {
    if (error instanceof TypeError) throw new Failure(`${show(file)} is not UTF-8. Save it as CSV UTF-8.`)
    throw new Failure(`${show(file)} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** Before the transaction, which would otherwise hold the database's writer for minutes. */
async function wrapDigests(
  entries: readonly OperatorEntry[],
  planned: readonly OperatorChange[],
): Promise<readonly PreparedEntry[]> {
  const withPassword = new Set(planned.filter(({ after }) => 'password' in after).map(({ id }) => id))
  const wrapped = new Map<string, string>()
  const digests = entries.flatMap(({ id, passwordSha1Utf16le }) =>
    passwordSha1Utf16le !== undefined && withPassword.has(id) ? [{ id, digest: passwordSha1Utf16le }] : [],
  )
  await runConcurrently(digests, Math.min(2, availableParallelism()), async ({ id, digest }) => {
    wrapped.set(id, await wrapDigest(digest))
    if (wrapped.size % 1000 === 0) report(`Hashing old passwords: ${wrapped.size} of ${digests.length}`)
  })
  return entries.map((entry) => {
    const wrappedDigest = wrapped.get(entry.id)
    return wrappedDigest === undefined ? entry : { ...entry, wrappedDigest }
  })
}

/** On a terminal at most this many changes; --json has all. */
const mostShown = 100

function tell(changes: readonly OperatorChange[], read: number, { json }: Options, done: string): void {
  const { added, changed } = summarizeImport(changes)
  const unchanged = read - changes.length
  if (json) {
    printJson({ added, changed, unchanged, changes })
    return
  }
  const { dim } = colours()
  const lines = changes.slice(0, mostShown).map(describeChange)
  const rest = changes.length - lines.length
  const more = rest > 0 ? [dim(`… and ${rest} more; --json lists all`)] : []
  const counts = `${added} added, ${changed} changed, ${unchanged} unchanged.`
  print([...lines, ...more, `${counts} ${changes.length > 0 ? done : 'Nothing to import.'}`].join('\n'))
}

function describeChange({ kind, id, after, gains, loses }: OperatorChange): string {
  const named = Object.keys(after).filter((field) => field !== 'permissionLists')
  const lists = [...gains.map((name) => `+${name}`), ...loses.map((name) => `-${name}`)]
  const facts = [...(kind === 'changed' && named.length > 0 ? [named.join(', ')] : []), ...lists]
  return `${kind === 'added' ? '+' : '~'} ${show(id)}${facts.length > 0 ? `: ${show(facts.join(' '))}` : ''}`
}

async function exportFile(options: ExportOptions): Promise<void> {
  const { out, json, force, passwordHashes: hasPasswords = false } = options
  requireProjectFolder(options.project)
  const { writeOperatorFile } = await import('../model/operator-file/write-operator-file.ts')
  await withStore(options, async (store) => {
    const operators = await store.operators.list()
    const format = json || out?.toLowerCase().endsWith('.json') ? 'json' : 'csv'
    const text = writeOperatorFile(operators, { format, hasPasswords })
    if (out === undefined) return void terminal().stdout.write(text)
    writeWhole(out, text, force === true, 0o600)
    print(`${operators.length} operators are written to ${show(out)}.`)
  })
}

async function withStore({ project }: Options, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(readProjectSettings(project).database)
  try {
    await work(store)
  } finally {
    await store.close()
  }
}
