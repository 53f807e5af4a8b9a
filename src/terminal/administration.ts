/** The administration API of a running gateway, for verbs with `--url` (specification 31.1 to 31.3). */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { z } from 'zod'
import { showLine } from '../base/escape.ts'
import { isLoopback } from '../base/loopback.ts'
import type { Problem } from '../model/problem.ts'
import { Failure, listProblems, WrongValue } from './explain-failure.ts'
import { show, warn } from './print.ts'
import { terminal } from './terminal.ts'

export interface RemoteOptions {
  readonly url?: string
  readonly token?: string
  readonly tokenFile?: string
}

export function addRemoteOptions(command: Command): Command {
  return command
    .option('--url <url>', "administration URL of a running gateway, instead of the project's database")
    .option(
      '--token-file <file>',
      'file with the API token; by default IG_ADMIN_TOKEN, or the file that IG_ADMIN_TOKEN_FILE names',
    )
    .option('--token <token>', 'the API token itself, which other users of this machine can see')
}

/** What the administration refuses: the message for people, the problem details for `--json`. */
export class RequestRefused extends Failure {
  readonly details: ProblemDetails
  readonly code: string
  readonly problems: readonly Problem[]

  constructor(message: string, details: ProblemDetails) {
    super(message)
    this.details = details
    this.code = details.code ?? ''
    this.problems = details.problems ?? []
  }
}

/** Whether the request was done is unknown. */
export class ConnectionLost extends Failure {}

export interface RemoteAnswer {
  readonly body: unknown
  readonly etag: string
}

export interface RemoteAdministration {
  /** @param path below the address of the administration @throws Failure with the problem that the gateway states */
  ask(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    more?: { readonly body?: unknown; readonly ifMatch?: string | undefined },
  ): Promise<RemoteAnswer>
  /** A file of one of these content types, in pieces; undefined if the answer is something else. @throws Failure */
  stream(path: string, types: readonly string[]): Promise<AsyncIterable<string> | undefined>
  /** For commands that people copy. */
  readonly option: string
}

/** Undefined without `--url`. @throws Failure */
export function findRemoteAdministration({ url, ...options }: RemoteOptions): RemoteAdministration | undefined {
  if (url === undefined) {
    if (options.token !== undefined || options.tokenFile !== undefined)
      throw new WrongValue('a token needs the administration that it is for: add --url <url>.')
    return undefined
  }
  const base = readBase(url)
  const token = readToken(options)
  const authorization = `Bearer ${token}`
  const stream: RemoteAdministration['stream'] = async (path, types) => {
    const headers = { authorization }
    const response = await fetch(new URL(path, base), { headers, redirect: 'manual' }).catch((error) => {
      throw new ConnectionLost(`${base.origin} does not answer: ${reasonOf(error, patience)}.`)
    })
    const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
    if (response.ok && types.includes(type)) return readPieces(response, base)
    await readAnswer(response, base, patience)
    return undefined
  }
  const ask: RemoteAdministration['ask'] = async (method, path, more = {}) => {
    const headers = {
      authorization,
      accept: 'application/json',
      ...(more.body !== undefined && { 'content-type': 'application/json' }),
      ...(more.ifMatch !== undefined && { 'if-match': `"${more.ifMatch}"` }),
    }
    const limit = method === 'GET' ? patience : patience + maxWait
    const body = more.body === undefined ? null : JSON.stringify(more.body)
    const signal = AbortSignal.timeout(limit)
    const response = await fetch(new URL(path, base), { method, headers, body, signal, redirect: 'manual' }).catch(
      (error) => {
        throw new ConnectionLost(`${base.origin} does not answer: ${reasonOf(error, limit)}.`)
      },
    )
    return readAnswer(response, base, limit)
  }
  return { ask, stream, option: ` --url ${base.href.replace(/\/$/, '')}` }
}

/** Milliseconds of an activation that waits for all processes. */
export const maxWait = 120_000
/** Milliseconds. */
const patience = 60_000

function readBase(text: string): URL {
  const url = URL.parse(text)
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    `${url.username}${url.password}` !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new WrongValue(
      `--url must be the address of an administration, as https://gateway.example.com:8081, not ${show(text)}.`,
    )
  if (url.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
    throw new WrongValue('--url must be https beyond this machine: the token would be readable on the way.')
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

/** Never printed. */
function readToken({ token, tokenFile }: RemoteOptions): string {
  const { IG_ADMIN_TOKEN, IG_ADMIN_TOKEN_FILE } = terminal().env
  if (token !== undefined) {
    warn('other users of this machine can see --token in the list of processes. Use --token-file or IG_ADMIN_TOKEN')
    return requireToken(token, '--token')
  }
  if (tokenFile === undefined && IG_ADMIN_TOKEN) return requireToken(IG_ADMIN_TOKEN, 'IG_ADMIN_TOKEN')
  const file = tokenFile ?? IG_ADMIN_TOKEN_FILE
  if (!file)
    throw new Failure(
      'an API token is needed: --token-file <file> or IG_ADMIN_TOKEN. An administrator makes one in the console, on the page API tokens.',
    )
  try {
    return requireToken(readFileSync(file, 'utf8'), show(file))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${show(file)} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}.`)
  }
}

function requireToken(text: string, place: string): string {
  const token = text.trim()
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token
  throw new Failure(`${place} has no API token: it must be one line of visible characters.`)
}

async function readAnswer(response: Response, base: URL, limit: number): Promise<RemoteAnswer> {
  const { status, headers } = response
  const etag = /^"(.*)"$/.exec(headers.get('etag') ?? '')?.[1] ?? ''
  const isJson = /^application\/(?:problem\+)?json\b/.test(headers.get('content-type') ?? '')
  const text = await readText(response, base).catch((error) => {
    if (error instanceof Failure) throw error
    throw new ConnectionLost(`${base.origin} broke off its answer: ${reasonOf(error, limit)}.`)
  })
  const body = isJson ? readJson(text) : undefined
  if (response.ok && (body !== undefined || status === 204)) return { body, etag }
  if (status === 431) throw new Failure(`${base.origin} answers 431: what this names is too long for a URL.`)
  if (status >= 300 && status < 400)
    throw new Failure(
      `${base.origin} redirects to ${show(headers.get('location') ?? 'another address')}. Give the right address as --url.`,
    )
  const Unread = status >= 500 ? ConnectionLost : Failure // a proxy answers although the gateway makes the change
  if (body === undefined)
    throw new Unread(
      `${base.origin} answers ${status} with ${isJson ? 'JSON that cannot be read' : show(headers.get('content-type') ?? 'no content type')}: it is not the administration of a gateway.`,
    )
  if (!problemDetails.safeParse(body).success) {
    const { data: stated } = z.object({ title: z.string() }).safeParse(body)
    throw new Unread(
      `${base.origin} is not the administration of a gateway: it answers ${status} ${showLine(stated?.title ?? '', 200)}`.trimEnd() +
        '. Administration has a port of its own (ig.admin.port).',
    )
  }
  const details = body as ProblemDetails
  if (status === 401)
    throw new RequestRefused(
      `${base.origin} refuses the API token: it is wrong, expired or revoked, or its administrator is locked. Make another: ig token create, or in the console.`,
      details,
    )
  throw toRequestRefused(details)
}

/** Characters; more than any answer of administration has. */
const maxAnswer = 64 * 1024 ** 2

async function readText({ body }: Response, { origin }: URL): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > maxAnswer)
      throw new Failure(`${origin} answers without end: it is no administration of a gateway.`)
  }
  return text
}

async function* readPieces({ body }: Response, { origin }: URL): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  try {
    for await (const piece of body ?? []) yield decoder.decode(piece, { stream: true })
  } catch (error) {
    throw new ConnectionLost(`${origin} broke off its answer: ${reasonOf(error, patience)}.`)
  }
}

/** The same words whether administration refuses it over HTTP or here. */
export function toRequestRefused(details: ProblemDetails): Failure {
  const { title, detail = '', problems = [], code } = details
  const said = showLine(`${title}. ${detail}`.trim(), 2_000)
  const message = code === 'clientsLose' ? explainLostUrls(problems) : [said, ...listProblems(problems)].join('\n')
  return new RequestRefused(message, details)
}

interface ProblemDetails {
  readonly title: string
  readonly detail?: string
  readonly code?: string
  readonly problems?: readonly Problem[]
}

/** Every problem of administration has a request id. */
const problemDetails = z.object({
  title: z.string(),
  detail: z.string().optional(),
  code: z.string().optional(),
  problems: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  requestId: z.string(),
})

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown, limit: number): string {
  const { cause, name, message } = error as Error
  if (name === 'TimeoutError') return `nothing for ${limit / 1000} s`
  const { code, message: why } = (cause ?? {}) as { readonly code?: string; readonly message?: string }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return 'this port has no TLS. Give its http URL, or the port that has TLS'
  return showLine(why || code || message, 500)
}

/** Changes that take URLs away from clients require `--force` (specification 13.4, 13.10). */
function explainLostUrls(problems: readonly Problem[]): string {
  const lines = problems.slice(0, 20).map(({ path, message }) => `  ${showLine(`${path} ${message}`, 10_000)}`)
  const more = problems.length > lines.length ? [`  and ${problems.length - lines.length} more`] : []
  return [
    'nothing was activated, because clients would lose these URLs. To activate anyway, add --force:',
    ...lines,
    ...more,
  ].join('\n')
}
