/** `ig import definitions`: a project whose operations are passed through to the original (specification 16.14). */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { quoteShell } from '../../base/escape.ts'
import { operationIdOf, segmentOf } from '../../model/operation-name.ts'
import type { Problem } from '../../model/problem.ts'
import { Failure } from '../../terminal/explain-failure.ts'
import { alignColumns, show } from '../../terminal/print.ts'
import { type Conclusion, type ImportOptions, runImport } from './conclude.ts'
import { type Definitions, type RecordName, readDefinitions, recordNames } from './definitions.ts'
import { writePassedThrough } from './passed-through.ts'
import { readText } from './read-file.ts'

export interface DefinitionOptions extends ImportOptions {
  readonly upstream: string
  readonly node: string
}

export async function importDefinitions(from: string, options: DefinitionOptions): Promise<void> {
  const nothing = { operations: [], permissionLists: [] }
  const defaultFolder = `${basename(resolve(from))}-gateway`
  const read = () => readFolder(from, options)
  await runImport({ defaultFolder, require: () => requireFolder(from), read, nothing }, options)
}

function readFolder(from: string, options: DefinitionOptions): Conclusion {
  const definitions = readDefinitions(readFiles(from))
  const { operations, permissionLists, notices, problems } = definitions
  return {
    source: from,
    notices: [...notices, ...listUnread(from)],
    problems,
    write: (folder) => writePassedThrough(toProject(definitions, options), from, folder, options),
    found: { operations, permissionLists },
    review: () => review(definitions),
    next: (folder) => {
      const file = quoteShell(join(folder, 'operators.csv'))
      const isThere = definitions.operators !== undefined
      return isThere ? [`  ig operator import ${file} --project ${quoteShell(folder)}`] : []
    },
  }
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

function requireFolder(from: string): void {
  if (!existsSync(from)) throw new Failure(`${show(from)} cannot be read: there is no such folder.`)
  if (!statSync(from).isDirectory())
    throw new Failure(`${show(from)} is no folder. Name the one that has the CSV files.`)
}

function readFiles(from: string): ReadonlyMap<RecordName, string> {
  return new Map(
    recordNames.flatMap((record) => {
      const file = join(from, `${record}.csv`)
      return existsSync(file) ? [[record, readText(file)] as const] : []
    }),
  )
}

/** Such as the templates of URIs, whose record no public source describes. */
function listUnread(from: string): readonly Problem[] {
  const known = new Set(recordNames.map((record) => `${record}.csv`))
  const others = readdirSync(from).filter((file) => /\.csv$/i.test(file) && !known.has(file))
  return others.toSorted().map((path) => ({ path, message: `is not read; known are ${[...known].join(', ')}` }))
}

function review({ operations, permissionLists }: Definitions): readonly string[] {
  const listsOf = (id: string) => permissionLists.filter((list) => list.operations.includes(id)).map(({ name }) => name)
  const rows = operations.map((operation) => {
    const { service, name, alias = name, version } = operation
    const id = operationIdOf(operation)
    return [id, `/${segmentOf({ alias, version })}`, service, listsOf(id).join(', ')]
  })
  return alignColumns([['OPERATION', 'URL', 'SERVICE', 'PERMISSION LISTS'], ...rows])
}
