/**
 * Client of the administration API, typed by its OpenAPI document. Error responses throw a `Problem` (specification
 * 19.4).
 */
import createClient from 'openapi-fetch'
import { noteGatewayTime } from './clock.ts'
import type { components, paths } from './schema.d.ts'

export type Schemas = components['schemas']
export type FieldProblem = Schemas['Problem']

/** An error response of the API, or `unreachable` if there was no response. */
export class Problem extends Error {
  readonly code: Schemas['ProblemDetails']['code'] | 'unreachable'
  readonly title: string
  readonly problems: readonly FieldProblem[]
  readonly requestId: string | undefined
  /** How to continue after the password. */
  readonly secondFactor: Schemas['ProblemDetails']['secondFactor']

  constructor({ code, title, detail, problems = [], requestId, secondFactor }: ProblemFacts) {
    super(detail)
    this.code = code
    this.title = title
    this.problems = problems
    this.requestId = requestId
    this.secondFactor = secondFactor
  }
}

interface ProblemFacts {
  readonly code: Problem['code']
  readonly title: string
  readonly detail: string
  readonly problems?: readonly FieldProblem[]
  readonly requestId?: string
  readonly secondFactor?: Schemas['ProblemDetails']['secondFactor']
}

let known: Schemas['Session'] | undefined
/** Sets the user of this page and the CSRF token that changes send. */
export function setSession(session: Schemas['Session'] | undefined): void {
  known = session
}

let onOther = (_session: Schemas['Session']) => {}
/** The listener is called when a change finds that another tab signed in as a different user. */
export function watchOtherSession(listener: (session: Schemas['Session']) => void): void {
  onOther = listener
}

let onSessionEnded = () => {}
/** The listener is called for each response that reports a missing session. */
export function watchSessionEnd(listener: () => void): void {
  onSessionEnded = listener
}

/** Whether every request fails until the gateway or its store is back, whatever it asks for. */
export function isOutage(error: Error | null): error is Problem {
  return error instanceof Problem && (error.code === 'unreachable' || error.code === 'storeAway')
}

let away: Problem | undefined
const awayListeners = new Set<() => void>()
/** The current outage, if any. */
export const connection = {
  away: () => away,
  subscribe(listener: () => void) {
    awayListeners.add(listener)
    return () => awayListeners.delete(listener)
  },
  /** Called when the database responds again. A response of the gateway is not enough: some need no database. */
  back: () => setAway(undefined),
}

function setAway(next: Problem | undefined): void {
  if (next?.code === away?.code) return
  away = next
  for (const listener of awayListeners) listener()
}

export const api = createClient<paths>({ baseUrl: '/', fetch: send })

/**
 * If another tab has signed in again, the cookie belongs to a new session: fetches its CSRF token and retries the
 * change once. Does not retry for a different user, because the change was not meant to be made in that user's name.
 */
async function send(request: Request): Promise<Response> {
  if (request.method === 'GET') {
    const response = await fetch(request)
    noteGatewayTime(response)
    return response
  }
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
  if (before && before.name !== session.name) return refuseOtherSession(before.name, session)
  again.headers.set('x-csrf-token', session.csrfToken ?? '')
  return fetch(again)
}

function refuseOtherSession(before: string, session: Schemas['Session']): Response {
  onOther(session)
  const details: ProblemFacts = {
    code: 'csrfRejected',
    title: `You are now signed in as ${session.name}`,
    detail: `Another tab signed ${before} out and ${session.name} in. Nothing was saved; your input is kept.`,
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

export interface TaggedValue<Value> {
  readonly value: Value
  /** The value to send in If-Match. */
  readonly etag: string
}

/** @throws Problem */
export async function readTagged<Data>(sending: Promise<Outcome<Data>>): Promise<TaggedValue<NonNullable<Data>>> {
  const { data, error, response } = await sending.catch(() => {
    const problem = new Problem(unreachable)
    setAway(problem)
    throw problem
  })
  const problem = response.ok ? undefined : new Problem(isDetails(error) ? error : unknownAnswer(response))
  const isBack = away?.code === 'unreachable' || problem?.code === 'unauthenticated'
  if (problem && isOutage(problem)) setAway(problem)
  else if (isBack) setAway(undefined)
  if (!problem) return { value: data as NonNullable<Data>, etag: response.headers.get('etag') ?? '' }
  if (problem.code === 'unauthenticated') onSessionEnded()
  throw problem
}

const unreachable: ProblemFacts = {
  code: 'unreachable',
  title: 'The gateway is not responding',
  detail: 'It may be restarting, or the connection is lost. Your input is kept.',
}

function isDetails(error: unknown): error is Schemas['ProblemDetails'] {
  return typeof error === 'object' && error !== null && 'code' in error
}

function unknownAnswer({ status }: Response): ProblemFacts {
  return {
    code: 'unexpected',
    title: 'Unexpected error',
    detail: `The gateway returned status ${status} without details.`,
  }
}
