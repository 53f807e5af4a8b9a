/** `ig import`: reads, prints for review, and writes a complete project or nothing (specification 16.6 to 16.9). */
import { randomBytes } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, isAbsolute, join, resolve, sep } from 'node:path'
import { quoteShell } from '../base/escape.ts'
import { bodyPathRule, isBodyPath } from '../model/content/fixture.ts'
import { primitiveTypes } from '../model/document-template.ts'
import type { Problem } from '../model/problem.ts'
import { isSecretName } from '../model/secret-name.ts'
import { ProjectProblems } from '../project/open-project.ts'
import { writeLiteral } from '../project/write-literal.ts'
import { describeSettings } from '../settings.ts'
import { confirm, isTerminal } from '../terminal/confirm.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { alignColumns, print, printJson, show } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'
import { type AssembledProject, assembleProject, isOAuth2 } from './assemble.ts'
import type { Found } from './found.ts'
import { importRequests } from './import-requests.ts'
import type { ToldTypes } from './infer-templates.ts'
import { readHar } from './read-har.ts'
import { readList } from './read-list.ts'
import type { Recordings } from './recording.ts'
import { closeUndeclared, isOpen } from './verification.ts'
import { requireReplaceable, writeFolder } from './write-folder.ts'
import { writeFailure, writeNotes } from './write-notes.ts'
import { needsOperators, writeProjectTexts } from './write-project.ts'

export interface ImportOptions {
  readonly into?: string
  readonly service?: string
  /** Names of variables, separated by commas; false: not asked either. */
  readonly any?: string | false
  /** `EMPLID=Integer` */
  readonly type?: readonly string[]
  /** `/request/emplid` */
  readonly body?: readonly string[]
  /** Imports operations without credentials that nothing declares open. */
  readonly open?: boolean
  /** Notes are errors. */
  readonly strict?: boolean
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly json?: boolean
}

export type ImportKind = 'requests' | 'postman' | 'openapi' | 'wadl'

type Read = Found & {
  readonly problems: readonly Problem[]
  /** The folder of bodies that are files; by default that of the imported file. */
  readonly sources?: string
}

export async function importProject(kind: ImportKind, path: string, options: ImportOptions): Promise<void> {
  try {
    await importFile(kind, path, options)
  } catch (error) {
    if (!options.json || !(error instanceof Failure)) throw error
    terminal().exitCode = 1
    printJson({ folder: null, operations: [], notices: [], problems: [{ path: '', message: error.message }] })
  }
}

async function importFile(kind: ImportKind, path: string, options: ImportOptions): Promise<void> {
  requireFile(path)
  const folder = options.into ?? basename(path, extname(path))
  if (!options.dryRun) requireReplaceable(folder, options.force === true)
  const temporary = mkdtempSync(join(tmpdir(), 'ig-import-'))
  try {
    await importInto(folder, await readers[kind](path, options, temporary), path, options)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

async function importInto(folder: string, read: Read, path: string, options: ImportOptions): Promise<void> {
  const notices = [...read.notices]
  const operations = options.open ? read.operations : closeUndeclared(read.operations, notices)
  const project = assembleProject({ ...read, operations, notices })
  const sources = read.sources ?? dirname(path)
  const found = options.strict ? [...read.problems, ...project.notices] : read.problems
  const problems = found.length > 0 ? found : await write(project, path, folder, sources, options)
  if (problems.length > 0) terminal().exitCode = 1
  const isWritten = problems.length === 0 && !options.dryRun
  if (options.json) {
    return printJson({
      folder: isWritten ? folder : null,
      operations: project.operations,
      notices: project.notices,
      problems,
    })
  }
  if (problems.length > 0)
    throw new Failure(writeFailure(basename(path), problems, options.strict ? [] : project.notices))
  print(writeReview(project))
  print(isWritten ? writeNext(project, folder) : '\nNothing is written (--dry-run).')
}

const readers: Readonly<
  Record<ImportKind, (path: string, options: ImportOptions, temporary: string) => Promise<Read>>
> = {
  async requests(path, options, temporary) {
    const start = readStart(path)
    const har = extname(path).toLowerCase() === '.har' || /^\s*\{\s*"log"/.test(start)
    if (!har && /^\s*\{\s*"(?:info|variables?|item)"\s*:/.test(start))
      throw new Failure(`${show(path)} looks like a Postman collection: use ig import postman.`)
    const read = har
      ? readHar(path, temporary, options.body ?? [])
      : readList(readText(path), basename(path), fileProblems(dirname(path)))
    return { ...(await importRecordings(read, options)), ...(har && { sources: temporary }) }
  },
  async postman(path, options, temporary) {
    const { readPostman } = await import('./postman.ts')
    const read = readPostman(parseJson(path), basename(path), temporary, options.body ?? [])
    return {
      ...(await importRecordings(read, { ...options, service: options.service ?? read.name })),
      sources: temporary,
    }
  },
  async openapi(path) {
    const { importOpenApi } = await import('./openapi.ts')
    const { readDocument } = await import('./read-document.ts')
    const read = readDocument(readText(path), basename(path))
    return 'problems' in read ? { ...nothing, problems: read.problems } : importOpenApi(read.value)
  },
  async wadl(path) {
    const { importWadl } = await import('./wadl.ts')
    return importWadl(readText(path), basename(path))
  },
}

async function importRecordings(
  { recordings, notices, problems }: Recordings,
  { service = 'IMPORTED', any, type = [], body = [], json }: ImportOptions,
): Promise<Read> {
  requireBodyPaths(body)
  const told = { service, types: readTypes(type), bodyPaths: body }
  const named = new Set(any ? any.split(',').map((name) => name.trim()) : [])
  const first = importRequests(recordings, { ...told, any: named })
  const asked = any === undefined && !json && isTerminal() ? await askForAny(first) : named
  const imported = asked === named ? first : importRequests(recordings, { ...told, any: asked })
  return {
    ...imported,
    notices: [...notices, ...imported.notices],
    problems: [...problems, ...imported.problems],
  }
}

function parseJson(path: string): unknown {
  try {
    return JSON.parse(readText(path))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${show(path)} is not JSON: ${show((error as Error).message)}.`)
  }
}

function requireBodyPaths(paths: readonly string[]): void {
  for (const path of paths) {
    if (!isBodyPath(path)) throw new Failure(`--body ${show(path)} ${bodyPathRule}.`)
    if (isSecretName(path.split('/').at(-1)?.replace('@', '') ?? ''))
      throw new Failure(`--body ${show(path)} has the name of a credential, whose values are not written.`)
  }
}

function readTypes(texts: readonly string[]): ToldTypes {
  return new Map(
    texts.map((text) => {
      const [name = '', wanted = ''] = text.split('=')
      const type = primitiveTypes.find((known) => known === wanted)
      if (type && name !== '') return [name, type] as const
      throw new Failure(`--type ${show(text)} is not NAME=TYPE; types are ${primitiveTypes.join(', ')}.`)
    }),
  )
}

/** Once for each variable that has only its recorded values. */
async function askForAny({ operations }: Found): Promise<ReadonlySet<string>> {
  const pinned = Map.groupBy(
    operations.flatMap((operation) => [...(operation.pinned ?? [])].map(([name, values]) => ({ name, values }))),
    ({ name }) => name,
  )
  const questions = [...pinned].map(([name, found]) => {
    const values = [...new Set(found.flatMap((one) => one.values))]
    const shown = values.slice(0, 5).map(show).join(', ') + (values.length > 5 ? ', …' : '')
    return `${show(name)} was recorded as ${shown}. Answer all other values, too?`
  })
  const answers = await confirm(questions)
  return new Set([...pinned.keys()].filter((_, at) => answers[at]))
}

const nothing: Found = { operations: [], nodes: [], gatewayPath: undefined, notices: [] }

/** Of one text in memory: the maximum length of a string. */
const maxBytes = 400 * 1024 * 1024

function readText(path: string): string {
  if (statSync(path).size > maxBytes) throw new Failure(`${show(path)} is larger than 400 MiB: split it.`)
  return readFileSync(path, 'utf8').replace(/^\ufeff/, '')
}

function requireFile(path: string): void {
  try {
    readStart(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Failure(`${show(path)} cannot be read: ${reasons[code ?? ''] ?? message}.`)
  }
}

/** Enough to recognize a HAR. */
function readStart(path: string): string {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(1000)
    return buffer.toString('utf8', 0, readSync(file, buffer)).replace(/^\ufeff/, '')
  } finally {
    closeSync(file)
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'its permissions forbid it',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file',
}

/** A response file must be in the folder of its list, also after links are resolved. */
function fileProblems(listFolder: string): (name: string) => string | undefined {
  const root = realpathSync(resolve(listFolder))
  return (name) => {
    if (isAbsolute(name) || name.split(/[/\\]/).includes('..') || name.includes('\0'))
      return 'leads out of the folder of the list'
    try {
      const real = realpathSync(join(root, name))
      if (!real.startsWith(root + sep)) return 'is a link that leads out of the folder of the list'
      return statSync(real).isFile() ? undefined : 'is not a file'
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read'
    }
  }
}

async function write(
  project: AssembledProject,
  path: string,
  folder: string,
  sources: string,
  { dryRun = false }: ImportOptions,
): Promise<readonly Problem[]> {
  const version = describeSettings().find(({ key }) => key === 'ig.toolsRelease')?.fallback ?? ''
  const newPassword = () => randomBytes(12).toString('base64url')
  const texts = writeProjectTexts(project, { source: basename(path), version, newPassword, writeLiteral })
  try {
    await writeFolder({ folder, texts, files: project.files, sources, isKept: !dryRun })
    return []
  } catch (error) {
    if (error instanceof ProjectProblems) return error.problems
    throw error
  }
}

function writeReview({ operations, notices }: AssembledProject): string {
  const rows = operations.flatMap(({ id, verification, isDeclaredOpen, templates }) =>
    (templates.length > 0 ? templates : [{ template: '/', requests: 0, example: '' }]).map(
      ({ template, requests, example }, at) => [
        at === 0 ? id : '',
        at === 0 ? verification + (isOpen({ verification }) && !isDeclaredOpen ? ' (by --open)' : '') : '',
        template,
        requests === 0 ? '' : `${requests}`,
        example,
      ],
    ),
  )
  const head = ['OPERATION', 'VERIFICATION', 'URI TEMPLATE', 'REQUESTS', 'EXAMPLE']
  const table = alignColumns([head, ...rows])
  return [...table, ...writeNotes(notices)].join('\n')
}

function writeNext({ operations, definition, gatewayPath }: AssembledProject, folder: string): string {
  const place = quoteShell(folder)
  const node = definition.nodes[0]?.name ?? ''
  const needed = needsOperators(operations.map(({ verification }) => verification))
  const adding = needed.map(({ id, permissionList, hasPassword }) => {
    return `  ig operator add ${id}${hasPassword ? '' : ' --no-password'} --permission-list ${permissionList} --project ${place}`
  })
  const base = `http://127.0.0.1:8080/${gatewayPath}/RESTListeningConnector/${node}`
  const curls = operations
    .filter(({ id }) => id.includes('_GET.'))
    .slice(0, 3)
    .map(({ segment, verification, templates }) => {
      const token = `-H "Authorization: Bearer $(ig token DEMO --project ${place})" `
      const user = verification.startsWith('Basic') ? '-u DEMO ' : isOAuth2({ verification }) ? token : ''
      return `  curl ${user}${quoteShell(base + (templates[0]?.url || `/${segment}`))}`
    })
  const count = `${operations.length} operation${operations.length === 1 ? '' : 's'}`
  return [
    `\n${count} in ${show(folder)}. Next:`,
    `  ig dev ${place}`,
    ...curls,
    'For production (ig start), operators are added first:',
    ...adding,
  ].join('\n')
}
