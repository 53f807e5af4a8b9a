/** `ig import`: reads, prints for review, and writes a complete project or nothing (specification 16.6 to 16.9). */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, isAbsolute, join, resolve, sep } from 'node:path'
import { quoteShell } from '../../base/escape.ts'
import { verificationOf } from '../../model/verification.ts'
import { writeLiteral } from '../../project/write-literal.ts'
import { Failure } from '../../terminal/explain-failure.ts'
import { alignColumns, show } from '../../terminal/print.ts'
import { type AssembledProject, assembleProject, needsProvider } from './assemble.ts'
import { type Conclusion, type ImportOptions, runImport } from './conclude.ts'
import { importRecordings, type RecordingOptions } from './import-recordings.ts'
import { type ImportResult, nothingFound } from './imported-operations.ts'
import { asObject } from './json-reference.ts'
import { parseJson, readStart, readText, requireFile } from './read-file.ts'
import { readHar } from './read-har.ts'
import { readList } from './read-list.ts'
import { closeUndeclared, isOpen } from './verification.ts'
import { writeFolder } from './write-folder.ts'
import { writeNeeded, writeProjectTexts } from './write-project.ts'

export type ImportKind = 'requests' | 'postman' | 'openapi' | 'wadl'

type ReadImport = ImportResult & {
  /** The folder of bodies that are files; by default that of the imported file. */
  readonly sources?: string
}

type Options = ImportOptions & RecordingOptions

/** What is read is copied from a temporary folder before that is removed. */
export async function importProject(kind: ImportKind, path: string, options: Options): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'ig-import-'))
  try {
    const read = () => importFile(kind, path, options, temporary)
    const [defaultFolder, nothing] = [basename(path, extname(path)), { operations: [] }]
    await runImport({ defaultFolder, require: () => requireFile(path), read, nothing }, options)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

async function importFile(kind: ImportKind, path: string, options: Options, temporary: string): Promise<Conclusion> {
  const read = await readers[kind](path, options, temporary)
  const notices = [...read.notices]
  const operations = closeUndeclared(read.operations, notices, { open: options.open ?? false })
  const project = assembleProject({ ...read, operations, notices })
  const sources = read.sources ?? dirname(path)
  return {
    source: basename(path),
    notices: project.notices,
    problems: read.problems,
    write: (folder) => {
      const newPassword = () => randomBytes(12).toString('base64url')
      const texts = writeProjectTexts(project, { source: basename(path), newPassword, writeLiteral })
      return writeFolder({ folder, texts, files: project.files, sources, isKept: !options.dryRun })
    },
    found: { operations: project.operations },
    review: () => writeReview(project),
    next: (folder) => writeNext(project, folder),
  }
}

const readers: Readonly<
  Record<ImportKind, (path: string, options: Options, temporary: string) => Promise<ReadImport>>
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
    const { readPostman } = await import('./read-postman.ts')
    const read = readPostman(
      parseJson(path, 'Export its folders one by one'),
      basename(path),
      temporary,
      options.body ?? [],
    )
    return {
      ...(await importRecordings(read, { ...options, service: options.service ?? read.name })),
      sources: temporary,
    }
  },
  async openapi(path) {
    const { importOpenApi } = await import('./openapi.ts')
    const { readDocument } = await import('./read-document.ts')
    const read = readDocument(readText(path), basename(path))
    if ('problems' in read) return { ...nothingFound, problems: read.problems }
    if (asObject(read.value).swagger !== '2.0') return importOpenApi(read.value)
    const { importSwagger } = await import('./swagger.ts')
    return importSwagger(read.value)
  },
  async wadl(path) {
    const { importWadl } = await import('./wadl.ts')
    return importWadl(readText(path), basename(path))
  },
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

function writeReview({ operations }: AssembledProject): readonly string[] {
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
  return alignColumns([head, ...rows])
}

function writeNext({ operations, definition, gatewayPath }: AssembledProject, folder: string): readonly string[] {
  const base = `http://127.0.0.1:8080/${gatewayPath}/RESTListeningConnector/${definition.nodes[0]?.name ?? ''}`
  const curls = operations
    .filter(({ method }) => method === 'GET')
    .slice(0, 3)
    .map(({ segment, verification, templates }) => {
      const token = needsProvider({ verification })
        ? `$(ig access-token DEMO --project ${quoteShell(folder)})`
        : undefined
      const argument = verificationOf(verification).curl({ user: 'DEMO', token })
      return ['  curl', argument, quoteShell(base + (templates[0]?.url || `/${segment}`))].filter(Boolean).join(' ')
    })
  return [...curls, 'For production (ig start), operators are added first:', ...writeNeeded(operations, folder)]
}
