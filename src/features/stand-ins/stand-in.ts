/**
 * Stand-ins: recorded responses as the handler of an operation, so that no other code knows of them (specification 16).
 * A file is read at each call, so a saved file is live; everything that can be checked earlier is checked at loading.
 */
import { constants } from 'node:fs'
import { access, type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suggest } from '../../base/nearest.ts'
import type { Configuration, OperationDefinition } from '../../configuration/configuration.ts'
import { handlerKeyOf } from '../../configuration/list-references.ts'
import type { ReplyBody } from '../../model/call.ts'
import { openBody } from '../../model/content/body-path.ts'
import type { RequestMessage } from '../../model/content/message.ts'
import { isBodiless } from '../../model/content/message-definition.ts'
import type { SpooledRequest } from '../../model/content/request-message.ts'
import type { FilledResponse } from '../../model/content/response-message.ts'
import type { DocumentTemplate } from '../../model/document-template.ts'
import type { Handler, HandlerContext } from '../../model/handler.ts'
import { withVersion } from '../../model/operation-name.ts'
import type { Problem } from '../../model/problem.ts'
import { Refusal } from '../../model/refusal.ts'
import type { Substitute } from '../../model/substitute.ts'
import type { UriTemplate } from '../../model/uri/uri-template.ts'
import type { SubstituteOptions, Substitutes } from '../../project/substitutes.ts'
import { answerOf, type FixtureRow, findNameProblem } from './configuration.ts'

export const substitutes: Substitutes = { make, checkFiles }

/** A larger file is streamed, never held as a whole. */
const heldBytes = 256 * 1024

/** The operations of successful calls, the latest one last (specification 16.16). */
type Successes = Set<string>

function* make({ operations }: Configuration, { folder }: SubstituteOptions): Iterable<readonly [string, Substitute]> {
  if (folder === undefined) return
  const successes: Successes = new Set()
  for (const operation of operations)
    if (operation.fixture) yield [handlerKeyOf(operation), makeStandIn(folder, operation, operation.fixture, successes)]
}

function makeStandIn(
  folder: string,
  { uriTemplates, responseMessage }: OperationDefinition,
  fixture: readonly FixtureRow[],
  successes: Successes,
): Substitute {
  const awaited = new Set(fixture.flatMap(({ after }) => after ?? []))
  const templates = uriTemplates.length > 0 ? uriTemplates : ['/']
  const answers = fixture.map((row) => answerOf(row, responseMessage))
  const readsBody = fixture.some(({ body }) => body !== undefined)
  return class StandIn implements Handler {
    static readonly state = 'standIn'

    static get responses() {
      return [...new Map(answers.map((answer) => [`${answer.httpCode} ${answer.contentType}`, answer])).values()]
    }

    /** Only recorded requests are answered: the values of the first row of a success. */
    static sampleValues({ source, variables }: UriTemplate, document: DocumentTemplate | undefined) {
      const rows = fixture.filter(
        (row) =>
          row.after === undefined &&
          (row.template === undefined || row.template === source) &&
          Object.keys(row.parameters ?? {}).every((name) => variables.includes(name)),
      )
      const row = rows.find(({ status = responseMessage.httpCode }) => status < 300) ?? rows[0]
      const isList = (name: string) => document?.elements.get(name)?.isCollection === true
      const texts = Object.entries(row?.parameters ?? {})
      return new Map(texts.map(([name, text]) => [name, isList(name) ? text.split(',') : [text]]))
    }

    async onRequest(message: RequestMessage, context: HandlerContext) {
      const { uriTexts, uriResourceIndex } = message as SpooledRequest
      const template = templates[uriResourceIndex - 1]
      const find = readsBody ? openBody(await message.getContentString()) : noBody
      const latest = awaited.size === 0 ? undefined : [...successes].findLast((operation) => awaited.has(operation))
      const isNow = ({ after }: FixtureRow) => after === undefined || after === latest
      const index = fixture.findIndex((row) => isNow(row) && matches(row, template, uriTexts) && matchesBody(row, find))
      const row = fixture[index]
      const answer = answers[index]
      if (!row || !answer) throw refuse(template, uriTexts, fixture)
      context.log.debug(`Row ${index + 1} of the fixture answers: ${describeRow(row)}`)
      if (row.delay > 0) await sleep(row.delay, undefined, { signal: context.signal })
      const response = context.broker.createMessage(message.operationName, 'response') as FilledResponse
      response.httpResponseCode = answer.httpCode
      response.contentType = answer.contentType
      for (const [name, value] of Object.entries(row.headers ?? {})) response.setHeader(name, value)
      response.rawBody = await readBody(folder, isBodiless(answer.httpCode) ? undefined : row.file)
      if (answer.httpCode < 400) {
        const id = withVersion(message.operationName, message.operationVersion)
        successes.delete(id)
        successes.add(id)
      }
      return response
    }
  }
}

type Texts = SpooledRequest['uriTexts']

function matches(row: FixtureRow, template: string | undefined, texts: Texts): boolean {
  if (row.template !== undefined && row.template !== template) return false
  return Object.entries(row.parameters ?? {}).every(([name, text]) => textOf(name, texts) === text)
}

type FindInBody = ReturnType<typeof openBody>
const noBody: FindInBody = () => undefined

function matchesBody({ body = {} }: FixtureRow, find: FindInBody): boolean {
  return Object.entries(body).every(([path, text]) => find(path) === text)
}

/** The values of a collection, separated by commas. */
function textOf(name: string, texts: Texts): string | undefined {
  const found = texts.get(name)
  return found === undefined || typeof found === 'string' ? found : found.join(',')
}

/** As for a URL that no template matches: no response exists. */
function refuse(template: string | undefined, texts: Texts, fixture: readonly FixtureRow[]): Refusal {
  const values = [...texts.keys()].map((name) => `${name}=${JSON.stringify(textOf(name, texts))}`)
  const rows = fixture.slice(0, 20).map((row, index) => `${index + 1} (${describeRow(row)})`)
  const more = fixture.length > rows.length ? ` and ${fixture.length - rows.length} more` : ''
  const reason =
    `No row of the fixture matches template ${template}${values.length > 0 ? ` with ${values.join(', ')}` : ''}. ` +
    `Its rows are ${rows.join(', ')}${more}.`
  return new Refusal('uriNotMatched', reason, { detail: 'No response is recorded for this URL.' })
}

function describeRow({ template, parameters = {}, body = {}, after, file, status }: FixtureRow): string {
  const values = Object.entries({ ...parameters, ...body }).map(([name, text]) => `${name}=${JSON.stringify(text)}`)
  const what = `${file === undefined ? 'no file' : `fixtures/${file}`}${status === undefined ? '' : `, ${status}`}`
  const when = [...(template === undefined ? [] : [`template ${template}`]), ...values]
  if (after !== undefined) when.push(`after ${after}`)
  return when.length === 0 ? what : `${when.join(', ')}: ${what}`
}

async function readBody(folder: string, name: string | undefined): Promise<ReplyBody> {
  if (name === undefined) return { bytes: Buffer.alloc(0) }
  await using file = await openFixture(folder, name)
  const { size } = await file.stat()
  if (size <= heldBytes) return { bytes: await file.readFile() }
  return { bytes: Buffer.alloc(0), file: { size, read: () => readFile(folder, name, size) } }
}

/** Exactly as many bytes as announced, even if the file changes meanwhile. */
async function* readFile(folder: string, name: string, size: number): AsyncGenerator<Buffer> {
  await using file = await openFixture(folder, name)
  let left = size
  for await (const bytes of file.createReadStream({ end: size - 1, autoClose: false })) {
    left -= bytes.length
    yield bytes
  }
  if (left > 0) throw new Error(`fixtures/${name} became shorter while it was sent`)
}

/** The file may have changed since loading: a link out of the folder, a pipe without a writer. */
async function openFixture(folder: string, name: string): Promise<FileHandle> {
  const home = await realpath(join(folder, 'fixtures'))
  const path = await realpath(join(home, name))
  if (!path.startsWith(home + sep)) throw new Error(`fixtures/${name} has become a link that leads out of fixtures`)
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new Error(`fixtures/${name} is no longer a file`)
}

/**
 * Errors in the files that operations name as fixtures; also for a definition with other errors (specification 16.5).
 */
async function checkFiles(folder: string | undefined, definition: unknown): Promise<readonly Problem[]> {
  const message = 'needs the folder of its fixtures: set folder, next to configuration'
  if (folder === undefined) return listFixtures(definition).map(({ path }) => ({ path, message }))
  const problems = new Map<string, Promise<string | undefined>>()
  const named = findFiles(definition).map(async ({ path, name, status }) => {
    const key = `${isBodiless(status)} ${name}`
    const problem = problems.get(key) ?? findFileProblem(folder, name, status)
    problems.set(key, problem)
    const message = await problem
    return message === undefined ? [] : [{ path, message }]
  })
  return (await Promise.all(named)).flat()
}

interface NamedFile {
  readonly path: string
  readonly name: string
  readonly status: number
}

/** Only if the name itself is valid. */
function findFiles(definition: unknown): readonly NamedFile[] {
  return listFixtures(definition).flatMap(({ path, fixture, httpCode }) => {
    const files = Array.isArray(fixture)
      ? fixture.map((row, at) => ({ path: `${path}[${at}].file`, name: row?.file, status: row?.status }))
      : [{ path, name: fixture, status: undefined }]
    return files
      .map((file) => ({ ...file, status: file.status ?? httpCode ?? 200 }))
      .filter(({ name }) => typeof name === 'string' && name !== '' && findNameProblem(name) === undefined)
  })
}

function listFixtures(definition: unknown) {
  const { operations } = (definition ?? {}) as { operations?: unknown }
  if (!Array.isArray(operations)) return []
  return operations.flatMap((operation, index) => {
    const fixture: unknown = operation?.fixture
    const httpCode = operation?.responseMessage?.httpCode
    return fixture === undefined ? [] : [{ path: `operations[${index}].fixture`, fixture, httpCode }]
  })
}

async function findFileProblem(folder: string, name: string, status: number): Promise<string | undefined> {
  const fixtures = join(folder, 'fixtures')
  const place = `fixtures/${name}`
  try {
    const home = await realpath(fixtures)
    const file = await realpath(join(fixtures, name))
    if (!file.startsWith(home + sep)) return `names a symbolic link that leads out of the folder fixtures: ${place}`
    const found = await stat(file)
    if (!found.isFile()) return `names something that is not a file: ${place}`
    await access(file, constants.R_OK)
    if (found.size > 0 && isBodiless(status))
      return `names a file with a body, which no response of status ${status} can have`
    return undefined
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return `cannot be read: ${place}: ${code ?? message}`
    const files = await readdir(dirname(join(fixtures, name))).catch(() => [])
    return `names a file that does not exist: ${place}${suggest(basename(name), files)}`
  }
}
