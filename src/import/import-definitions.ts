/** `ig import definitions`: a project whose operations are passed through to the original (specification 16.14). */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { quoteShell, showLine } from '../base/escape.ts'
import { passThroughSchema } from '../model/configuration/pass-through-schema.ts'
import type { Problem } from '../model/problem.ts'
import { ProjectProblems } from '../project/open-project.ts'
import { writeLiteral } from '../project/write-literal.ts'
import { describeSettings } from '../settings.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { alignColumns, print, printJson, show } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'
import { type Definitions, type RecordName, readDefinitions, recordNames } from './definitions.ts'
import { requireReplaceable, writeFolder } from './write-folder.ts'
import { writeFailure, writeNotes } from './write-notes.ts'
import { describePackage, marker } from './write-project.ts'

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
  const problems = found.length > 0 ? found : await write(definitions, from, folder, options)
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

async function write(
  { operations, permissionLists, operators }: Definitions,
  from: string,
  folder: string,
  { upstream, node, dryRun = false }: DefinitionOptions,
): Promise<readonly Problem[]> {
  const { error } = passThroughSchema.safeParse({ passThrough: upstream })
  if (error) throw new Failure(`--upstream ${show(upstream)} ${error.issues[0]?.message}.`)
  const definition = {
    nodes: [{ name: node, isDefaultLocal: true }],
    services: [...new Set(operations.map(({ service }) => service))].sort().map((name) => ({ name })),
    operations: operations.map((operation) => ({
      ...operation,
      verification: 'Basic',
      handler: { passThrough: upstream },
    })),
    permissionLists,
  }
  const configuration = [
    `${marker} from ${showLine(basename(resolve(from)), 300).replaceAll('*/', '* /')}: the original answers every operation. */`,
    "import type { GatewayDefinition } from 'integration-gateway'",
    '',
    `export default ${writeLiteral(definition)} satisfies GatewayDefinition`,
    '',
  ].join('\n')
  const version = describeSettings().find(({ key }) => key === 'ig.toolsRelease')?.fallback ?? ''
  const texts = {
    'gateway.config.ts': configuration,
    'package.json': `${JSON.stringify(describePackage(version), null, 2)}\n`,
    '.gitignore': 'node_modules/\ndata/\noperators.csv\n',
    ...(operators !== undefined && { 'operators.csv': operators }),
  }
  try {
    await writeFolder({ folder, texts, files: new Map(), sources: from, isKept: !dryRun })
    return []
  } catch (problem) {
    if (problem instanceof ProjectProblems) return problem.problems
    throw problem
  }
}

function review({ operations, permissionLists, notices }: Definitions): string {
  const listsOf = (id: string) => permissionLists.filter((list) => list.operations.includes(id)).map(({ name }) => name)
  const rows = operations.map(({ service, name, method, version }) => {
    const id = `${name}_${method}.${version}`
    return [id, service, listsOf(id).join(', ')]
  })
  const table = alignColumns([['OPERATION', 'SERVICE', 'PERMISSION LISTS'], ...rows])
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
