/** Requests to the administration API, typed by its OpenAPI: what is refused is thrown as a `Problem` (specification 19.4). */
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

export type Schemas = components['schemas']
export type FieldProblem = Schemas['Problem']

/** What the API refused, in its own words; or `unreachable`, where it did not answer. */
export class Problem extends Error {
  readonly code: Schemas['ProblemDetails']['code'] | 'unreachable'
  readonly title: string
  readonly problems: readonly FieldProblem[]
  readonly requestId: string | undefined

  constructor({ code, title, detail, problems = [], requestId }: ProblemFacts) {
    super(detail)
    this.code = code
    this.title = title
    this.problems = problems
    this.requestId = requestId
  }
}

interface ProblemFacts {
  readonly code: Problem['code']
  readonly title: string
  readonly detail: string
  readonly problems?: readonly FieldProblem[]
  readonly requestId?: string
}

let known: Schemas['Session'] | undefined
/** Whose page this is, and the CSRF token of changes. */
export function setSession(session: Schemas['Session'] | undefined): void {
  known = session
}

let onOther = (_session: Schemas['Session']) => {}
/** Called where a change finds that another tab signed in as somebody else. */
export function watchOtherSession(listener: (session: Schemas['Session']) => void): void {
  onOther = listener
}

let onSessionOver = () => {}
/** Called whenever an answer says that nobody is signed in. */
export function watchSession(listener: () => void): void {
  onSessionOver = listener
}

/** Neither is the fault of what was asked: it is the same for every request until it is mended. */
export function isAway(error: Error | null): error is Problem {
  return error instanceof Problem && (error.code === 'unreachable' || error.code === 'storeAway')
}

let away: Problem | undefined
const awayListeners = new Set<() => void>()
/** Why nothing is answered at present. */
export const connection = {
  away: () => away,
  subscribe(listener: () => void) {
    awayListeners.add(listener)
    return () => awayListeners.delete(listener)
  },
  /** The database answers again; that the gateway does, says little: what it knows by itself it answers without. */
  back: () => setAway(undefined),
}

function setAway(next: Problem | undefined): void {
  if (next?.code === away?.code) return
  away = next
  for (const listener of awayListeners) listener()
}

export const api = createClient<paths>({ baseUrl: '/', fetch: send })

/**
 * Where another tab signed in anew, the cookie is of a new session: its CSRF token is fetched, and the change sent once
 * more; not where it is somebody else's, under whose name nobody meant to change anything.
 */
async function send(request: Request): Promise<Response> {
  if (request.method === 'GET') return fetch(request)
  const again = request.clone()
  if (known?.csrfToken !== undefined) request.headers.set('x-csrf-token', known.csrfToken)
  const response = await fetch(request)
  if (response.status !== 403) return response
  const { code } = (await response.clone().json()) as { readonly code?: string }
  const answer = code === 'csrfRejected' ? await fetch('/api/session') : undefined
  if (!answer?.ok) return response
  const session = (await answer.json()) as Schemas['Session']
  const before = known
  setSession(session)
  if (before && before.name !== session.name) return tellOther(before.name, session)
  again.headers.set('x-csrf-token', session.csrfToken ?? '')
  return fetch(again)
}

function tellOther(before: string, session: Schemas['Session']): Response {
  onOther(session)
  const details: ProblemFacts = {
    code: 'csrfRejected',
    title: `You are ${session.name} now`,
    detail: `Another tab signed ${before} out and ${session.name} in. Nothing was saved; what you entered stays here.`,
  }
  return Response.json(details, { status: 403 })
}

interface Outcome<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/** @throws Problem */
export async function read<Data>(sending: Promise<Outcome<Data>>): Promise<NonNullable<Data>> {
  return (await readTagged(sending)).value
}

export interface Tagged<Value> {
  readonly value: Value
  /** As it goes into If-Match. */
  readonly etag: string
}

/** @throws Problem */
export async function readTagged<Data>(sending: Promise<Outcome<Data>>): Promise<Tagged<NonNullable<Data>>> {
  const { data, error, response } = await sending.catch(() => {
    const problem = new Problem(unreachable)
    setAway(problem)
    throw problem
  })
  const problem = response.ok ? undefined : new Problem(isDetails(error) ? error : unknownAnswer(response))
  const isBack = away?.code === 'unreachable' || problem?.code === 'unauthenticated'
  if (problem && isAway(problem)) setAway(problem)
  else if (isBack) setAway(undefined)
  if (!problem) return { value: data as NonNullable<Data>, etag: response.headers.get('etag') ?? '' }
  if (problem.code === 'unauthenticated') onSessionOver()
  throw problem
}

const unreachable: ProblemFacts = {
  code: 'unreachable',
  title: 'The gateway does not answer',
  detail: 'It may be restarting, or the connection is gone. What you entered stays here.',
}

function isDetails(error: unknown): error is Schemas['ProblemDetails'] {
  return typeof error === 'object' && error !== null && 'code' in error
}

function unknownAnswer({ status }: Response): ProblemFacts {
  return { code: 'unexpected', title: 'This was not foreseen', detail: `The answer was ${status}, without a reason.` }
}
