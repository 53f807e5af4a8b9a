/** `ig operator import` and `export`: many operators in one file (specification 37). */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { suggest } from '../base/nearest.ts'
import type { OperatorChange } from '../configuration/operator-file/apply-entry.ts'
import { findDigest } from '../configuration/operator-file/entry.ts'
import type { FileFormat } from '../configuration/operator-file/read-operator-file.ts'
import { summarizeImport } from '../configuration/operator-file/summarize-import.ts'
import type { Problem } from '../model/problem.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { type AuthorOptions, entryOf, readAuthor } from '../terminal/audited.ts'
import { Failure, formatProblems, maxProblems } from '../terminal/explain-failure.ts'
import { readKnownLists } from '../terminal/known-lists.ts'
import { print, printJson, report, show } from '../terminal/print.ts'
import { readProjectSettings, requireProjectFolder } from '../terminal/project-options.ts'
import { showOperatorChanges } from '../terminal/show-operator-changes.ts'
import type { Subverbs } from '../terminal/subverbs.ts'
import { terminal } from '../terminal/terminal.ts'
import { withRevisions } from '../terminal/use-revisions.ts'
import { writeWhole } from '../terminal/write-whole.ts'
import { findDigests, wrapDigests } from '../verification/basic/wrap-digests.ts'

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
  change('import <file>', 'add or change the operators in a CSV or JSON file, all or none')
    .option('--dry-run', 'show what would change')
    .action(importFile)
  read('export', 'write all operators as CSV or JSON, in the format that import reads')
    .option('--out <file>', 'write to this file, which must not exist, instead of standard output')
    .option('--force', 'replace the file')
    .option('--password-hashes', 'include the hashes of their passwords')
    .action(exportFile)
  read('holders <permission-list>', 'print the ids of all operators that hold a permission list').action(holders)
  change(
    'set-holders <permission-list> <file>',
    'grant a permission list to exactly the operators in a file, one id per line',
  )
    .option('--dry-run', 'show what would change')
    .action(setHolders)
}

async function importFile(file: string, options: ImportOptions): Promise<void> {
  requireProjectFolder(options.project)
  readAuthor(options)
  const { text, format } = readText(file)
  const { readOperatorFile, withUnknownLists } = await import('../configuration/operator-file/read-operator-file.ts')
  const read = readOperatorFile(text, format)
  const { entries } = read
  const lists = [...new Set(read.lists.map(({ name }) => name))]
  const problems = withUnknownLists(
    read,
    await withRevisions(options.project, (revisions) => readKnownLists(options.project, revisions, lists)),
  )
  if (problems.length > 0) return refuse(problems, options)
  await withStore(options, async (store) => {
    const hasDigests = entries.some(findDigest)
    const planned = options.dryRun || hasDigests ? await store.operators.preview(entries) : []
    const tell = (changes: readonly OperatorChange[], done: string) =>
      showOperatorChanges(changes, { json: options.json, unchanged: entries.length - changes.length, done })
    if (options.dryRun) return tell(planned, 'Nothing was imported (--dry-run).')
    const digests = findDigests(entries, planned)
    const prepared = await wrapDigests(entries, digests, (made) => {
      if (made % 1000 === 0) report(`Hashing old passwords: ${made} of ${digests.length}`)
    })
    const digest = hash('sha256', text)
    const describeImport = (result: unknown) =>
      entryOf(options, {
        action: 'importOperators',
        subject: `${entries.length} operators`,
        after: { file: `sha256:${digest}`, ...summarizeImport(result as readonly OperatorChange[]) },
      })
    const changes = (await store.audited(describeImport).operators.import(prepared)) || []
    tell(changes, 'All are stored.')
  })
}

function refuse(problems: readonly Problem[], { json }: Options): void {
  terminal().exitCode = 1
  if (json) printJson({ problems })
  else {
    const rest = problems.length > maxProblems ? '\n  --json lists all of them.' : ''
    report(`ig: ${formatProblems('Nothing was imported. The file has', problems)}${rest}`)
  }
}

async function holders(permissionList: string, options: Options): Promise<void> {
  requireProjectFolder(options.project)
  await withStore(options, async (store) => {
    const all = await store.operators.list()
    const ids = all.filter(({ permissionLists }) => permissionLists.includes(permissionList)).map(({ id }) => id)
    if (options.json) return printJson(ids)
    if (ids.length > 0) print(ids.map(show).join('\n'))
    else report(`No operator holds ${show(permissionList)}.`)
  })
}

async function setHolders(permissionList: string, file: string, options: ImportOptions): Promise<void> {
  requireProjectFolder(options.project)
  readAuthor(options)
  const lines = readUtf8(file, 'UTF-8 text').split(/\r?\n/)
  const known = await withRevisions(options.project, (revisions) =>
    readKnownLists(options.project, revisions, [permissionList]),
  )
  if (!known.includes(permissionList))
    throw new Failure(
      `${show(permissionList)} is not a permission list of the configuration${suggest(permissionList, known) || '.'}`,
    )
  await withStore(options, async (store) => {
    const ids = lines.filter((id) => id !== '')
    const planned = await store.operators.previewHolders(permissionList, ids)
    const unknown = new Set(planned.filter(({ kind }) => kind === 'added').map(({ id }) => id))
    const problems = lines.flatMap((id, at) =>
      unknown.has(id) ? [{ path: `line ${at + 1}`, message: `${id} is not an operator` }] : [],
    )
    if (problems.length > 0) return refuse(problems, options)
    const tell = (changes: readonly OperatorChange[], done: string) =>
      showOperatorChanges(changes, { json: options.json, unchanged: new Set(ids).size - countGains(changes), done })
    if (options.dryRun) return tell(planned, 'Nothing was changed (--dry-run).')
    const describeChange = (result: unknown) => {
      const after = summarizeImport(result as readonly OperatorChange[])
      return entryOf(options, { action: 'setHolders', subject: permissionList, after })
    }
    tell((await store.audited(describeChange).operators.setHolders(permissionList, ids)) || [], 'All are stored.')
  })
}

const countGains = (changes: readonly OperatorChange[]) => changes.filter(({ gains }) => gains.length > 0).length

function readText(file: string): { readonly text: string; readonly format: FileFormat } {
  const format = extname(file).toLowerCase().slice(1)
  if (format !== 'csv' && format !== 'json') throw new Failure(`${show(file)} must end with .csv or .json.`)
  return { format, text: readUtf8(file, 'CSV UTF-8') }
}

function readUtf8(file: string, kind: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    if (error instanceof TypeError) throw new Failure(`${show(file)} is not UTF-8. Save it as ${kind}.`)
    throw new Failure(`${show(file)} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

async function exportFile(options: ExportOptions): Promise<void> {
  const { out, json, force, passwordHashes: hasPasswords = false } = options
  requireProjectFolder(options.project)
  const { writeOperatorFile } = await import('../configuration/operator-file/write-operator-file.ts')
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
