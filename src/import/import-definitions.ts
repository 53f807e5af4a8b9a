/** `ig import definitions`: a project whose operations are passed through to the original (specification 16.14). */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { quoteShell } from '../base/escape.ts'
import type { Problem } from '../model/problem.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { alignColumns, print, printJson, show } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'
import { type Definitions, type RecordName, readDefinitions, recordNames } from './definitions.ts'
import { writePassedThrough } from './passed-through.ts'
import { requireReplaceable } from './write-folder.ts'
import { writeFailure, writeNotes } from './write-notes.ts'

export interface DefinitionOptions {
  readonly upstream: string
  readonly node: string
  readonly into?: string
  /** Notes are errors. */
  readonly strict?: boolean
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly json?: boolean
}

export async function importDefinitions(from: string, options: DefinitionOptions): Promise<void> {
  const folder = options.into ?? `${basename(resolve(from))}-gateway`
  if (!options.dryRun) requireReplaceable(folder, options.force === true)
  const read = readDefinitions(readFiles(from))
  const definitions = { ...read, notices: [...read.notices, ...listUnread(from)] }
  const found = options.strict ? [...definitions.problems, ...definitions.notices] : definitions.problems
  const problems =
    found.length > 0 ? found : await writePassedThrough(toProject(definitions, options), from, folder, options)
  if (problems.length > 0) terminal().exitCode = 1
  const { operations, permissionLists, notices } = definitions
  if (options.json) {
    const isWritten = problems.length === 0 && !options.dryRun
    return printJson({ folder: isWritten ? folder : null, operations, permissionLists, notices, problems })
  }
  if (problems.length > 0) throw new Failure(writeFailure(from, problems, options.strict ? [] : notices))
  print(review(definitions))
  print(options.dryRun ? '\nNothing is written (--dry-run).' : writeNext(definitions, folder))
}

function toProject({ operations, permissionLists, operators }: Definitions, { upstream, node }: DefinitionOptions) {
  const handler = { passThrough: upstream }
  return {
    nodes: [node],
    operations: operations.map((operation) => ({ ...operation, verification: 'Basic' as const, handler })),
    permissionLists,
    operators,
  }
}

function readFiles(from: string): ReadonlyMap<RecordName, string> {
  if (!existsSync(from)) throw new Failure(`${show(from)} cannot be read: there is no such folder.`)
  return new Map(
    recordNames.flatMap((record) => {
      const file = join(from, `${record}.csv`)
      return existsSync(file) ? [[record, readUtf8(file)] as const] : []
    }),
  )
}

/** Such as the templates of URIs, whose record no public source describes. */
function listUnread(from: string): readonly Problem[] {
  const known = new Set(recordNames.map((record) => `${record}.csv`))
  const others = readdirSync(from).filter((file) => /\.csv$/i.test(file) && !known.has(file))
  return others.toSorted().map((path) => ({ path, message: `is not read; known are ${[...known].join(', ')}` }))
}

function readUtf8(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    if (error instanceof TypeError) throw new Failure(`${show(file)} is not UTF-8. Save it as CSV UTF-8.`)
    throw new Failure(`${show(file)} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function review({ operations, permissionLists, notices }: Definitions): string {
  const listsOf = (id: string) => permissionLists.filter((list) => list.operations.includes(id)).map(({ name }) => name)
  const rows = operations.map(({ service, name, alias = name, method, version }) => {
    const id = `${name}_${method}.${version}`
    return [id, `/${alias}.${version}`, service, listsOf(id).join(', ')]
  })
  const table = alignColumns([['OPERATION', 'URL', 'SERVICE', 'PERMISSION LISTS'], ...rows])
  return [...table, ...writeNotes(notices)].join('\n')
}

function writeNext({ operations, operators }: Definitions, folder: string): string {
  const place = quoteShell(folder)
  const count = `${operations.length} operation${operations.length === 1 ? '' : 's'}`
  const people =
    operators === undefined
      ? []
      : [`  ig operator import ${quoteShell(join(folder, 'operators.csv'))} --project ${place}`]
  return [`\n${count} in ${show(folder)}, passed through. Next:`, `  ig dev ${place}`, ...people].join('\n')
}
