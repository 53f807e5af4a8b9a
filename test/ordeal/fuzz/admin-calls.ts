/** Hostile calls of every route that the OpenAPI description has, by each role and by none (specification 18.8, 18.14, 18.30). */
import { makeHostile } from '../../support/hostile.ts'
import type { Random, Tally } from '../ordeal.ts'
import type { AcknowledgedRows } from './bodies.ts'
import { below, makeUrlPiece, pick } from './random.ts'
import { type Answer, bytesOf, callMany, type Request } from './replies.ts'
import { note, type Subject } from './subject.ts'

/** Its own order, so that a mistake in the gateway's is seen. */
const roles = ['viewer', 'operator', 'administrator'] as const
type Role = (typeof roles)[number]

/** These would end the draft that the others change. */
const ends = new Set(['deleteDraft', 'activateDraft'])

interface Route {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly access: Role | 'public'
  readonly query: readonly string[]
  readonly example: unknown
}

type Caller = Role | 'nobody'

interface AdminCall extends Request {
  readonly route: Route
  readonly caller: Caller
}

/** These would end what the others need: the sessions, and the people whom they are of. */
const byNobody = new Set(['deleteSession', 'createSession', 'acceptInvitation', 'changeOwnPassword'])

export async function fuzzAdminCalls(
  subject: Subject,
  count: number,
  random: Random,
  acknowledged: AcknowledgedRows,
): Promise<Tally> {
  const tally = {
    adminCalls: 0,
    unanswered: 0,
    serverErrors: 0,
    trespassed: 0,
    mistaken: 0,
    changed: 0,
    allowed: 0,
    forbidden: 0,
  }
  const routes = await readRoutes(subject.adminUrl)
  const make = () => makeCall(random, routes, subject)
  await callMany(subject.adminUrl, count, { connections: 4, depth: 6 }, make, (answer, made) => {
    const verdict = judge(answer, made)
    tally.adminCalls += 1
    tally[verdict] += 1
    if (!['allowed', 'changed', 'forbidden'].includes(verdict))
      note(subject, `call: ${verdict}`, made.bytes, bytesOf(answer))
    const [, transaction] = /"transactionId":"([\da-f-]{36})"/.exec(answer?.body.toString() ?? '') ?? []
    if (made.route.operationId === 'tryCall' && transaction) acknowledged.set(transaction, undefined)
  })
  tally.trespassed += await countTrespasses(subject, routes)
  return tally
}

type Verdict = 'unanswered' | 'serverErrors' | 'trespassed' | 'mistaken' | 'allowed' | 'changed' | 'forbidden'

/** A caller without the right gets that refusal, whatever else is wrong with the call. */
function judge(answer: Answer, { route, caller }: AdminCall): Verdict {
  if (!answer) return 'unanswered'
  const { status } = answer
  if (status >= 500) return 'serverErrors'
  if (isAllowed(route, caller)) return status < 300 && route.method !== 'GET' ? 'changed' : 'allowed'
  if (status < 400) return 'trespassed'
  return status === (caller === 'nobody' ? 401 : 403) ? 'forbidden' : 'mistaken'
}

function isAllowed({ access }: Route, caller: Caller): boolean {
  return access === 'public' || (caller !== 'nobody' && roles.indexOf(caller) >= roles.indexOf(access))
}

/** Entries of the audit by those whose role has no such right. */
async function countTrespasses({ query }: Subject, routes: readonly Route[]): Promise<number> {
  const rows = await query('select actor, action, count(*) as entries from ig_audit group by actor, action')
  const access = new Map(routes.map((route) => [route.operationId, route]))
  const isTrespass = ({ actor, action }: Readonly<Record<string, unknown>>) => {
    const role = roles.find((each) => actor === `an ${each}`)
    const route = access.get(String(action))
    return role !== undefined && route !== undefined && !isAllowed(route, role)
  }
  return rows.filter(isTrespass).reduce((sum, { entries }) => sum + Number(entries), 0)
}

interface DescribedOperation {
  readonly operationId: string
  readonly description: string
  readonly parameters: readonly { readonly in: string; readonly name: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
}

async function readRoutes(url: string): Promise<readonly Route[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, DescribedOperation>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, description, parameters, requestBody }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
      access: roles.find((role) => description.includes(`Requires the role ${role}:`)) ?? ('public' as const),
      query: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
      example: requestBody && (requestBody.content['application/json']?.example ?? {}),
    })),
  )
}

function makeCall(random: Random, routes: readonly Route[], subject: Subject): AdminCall {
  const route = pick(random, routes)
  const isSound = random() < 0.25 // so that there is something to change, and to read
  const anyone = isSound ? 'administrator' : pick(random, ['nobody' as const, ...roles])
  const caller: Caller = byNobody.has(route.operationId) ? 'nobody' : anyone
  const path = route.path.replace(/\{(\w+)\}/g, (_, name) =>
    isSound
      ? pickKnown(random, name, subject, route)
      : makeParameter(random, name, subject, route, isAllowed(route, caller)),
  )
  const names = [...route.query.filter(() => random() < 0.5), ...(random() < 0.1 ? ['__proto__', 'x'] : [])]
  const query = names.map((name) => `${name}=${makeValue(random)}`).join('&')
  // A character that no target has is refused by the parser before the calls that wait in front of it are answered.
  const visible = (text: string) =>
    text.replace(/[^\x21-\x7e]/g, (character) => `%${Buffer.from(character, 'latin1').toString('hex')}`)
  const target = visible(`${path}${query && '?'}${query}`).slice(0, 7_000)
  const body =
    route.example === undefined && random() < 0.9
      ? ''
      : isSound
        ? toLocal(JSON.stringify(route.example ?? {}))
        : makeBody(random, route.example)
  const session = caller === 'nobody' ? '' : pick(random, subject.sessions[caller])
  const ifMatch =
    random() < 0.6
      ? `If-Match: ${pick(random, ['"1"', '"0"', '*', '""', '"x"', '1', 'W/"1"', '"99999999999999999999"'])}\r\n`
      : ''
  const type =
    random() < 0.95
      ? 'application/json'
      : pick(random, ['text/plain', 'x', 'application/xml', 'application/json; charset=x'])
  const content = body === '' ? '' : `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  const head = `${route.method} ${target} HTTP/1.1\r\nHost: ${new URL(subject.adminUrl).host}\r\n${session}${ifMatch}${content}\r\n`
  return { bytes: Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]), route, caller }
}

/** @param isAny or such alone that the route is found */
function makeParameter(random: Random, name: string, subject: Subject, route: Route, isAny: boolean): string {
  if (random() < 0.6) return pickKnown(random, name, subject, route)
  return isAny
    ? makeUrlPiece(random)
    : encodeURIComponent(makeHostile(random).toWellFormed().slice(0, 30).toWellFormed())
}

/** Of things that are there to be changed, and of none. */
function pickKnown(random: Random, name: string, { draft }: Subject, route: Route): string {
  const known: Readonly<Record<string, readonly string[]>> = {
    draft: ends.has(route.operationId) ? ['none'] : [draft, draft, draft, 'none'],
    id: ['VICTIM', 'REFERENCE', 'ECHO_GET.v1', 'ECHO_DOCUMENT', 'PUBLIC', 'LOCAL_NODE', 'SAMPLE_ISSUER'],
    operation: ['CACHED_TIME_GET.v1', 'ECHO_GET.v1'],
    permissionList: ['PUBLIC', 'REFERENCE_ALL'],
    number: ['1', '2', '0', '-1', '99999999999999999999', '1e3'],
    name: ['a victim', 'sam'].map(encodeURIComponent),
    log: ['message', 'error', 'msgLog', '..%2fgateway.sqlite'],
  }
  return pick(random, known[name] ?? ['00000000-0000-4000-8000-000000000000', '1'])
}

const values = [
  '',
  '0',
  '1',
  '-1',
  '1000',
  '99999999999999999999',
  '1e999',
  'NaN',
  'true',
  'null',
  '2026-01-01',
  'x',
  'ECHO_GET.v1',
]

function makeValue(random: Random): string {
  if (random() < 0.5) return pick(random, values)
  return random() < 0.5 ? makeUrlPiece(random) : encodeURIComponent(makeHostile(random).toWellFormed())
}

const numbers = [0, -1, 1.5, 1e308, -0, 2 ** 53, 2 ** 31, 1e21, 300]

function makeLeaf(random: Random): unknown {
  const kinds = [
    () => makeHostile(random),
    () => makeHostile(random),
    () => pick(random, numbers),
    () => pick(random, [null, true, false, [], {}, [[]], '', 'a', 'x'.repeat(5000)]),
    () => ({ [makeHostile(random)]: makeHostile(random) }),
    () => Array.from({ length: below(random, 200) }, () => makeHostile(random)),
    () =>
      pick(random, [
        'VICTIM',
        'ECHO_GET.v1',
        'LOCAL_NODE',
        'handlers/echo.ts#Echo',
        'echo/{x}',
        '{?x*}',
        'http://127.0.0.1:1/x',
      ]),
  ]
  return pick(random, kinds)()
}

function makeBody(random: Random, example: unknown): string {
  const share = random()
  if (share < 0.04) return makeHostile(random)
  if (share < 0.06) return `${'['.repeat(below(random, 20_000))}`
  if (share < 0.08) return `{"__proto__":{"role":"administrator"},"constructor":{"prototype":{"x":1}}}`
  const text = JSON.stringify((share < 0.2 ? makeLeaf(random) : changeLeaves(random, example, 0.25)) ?? {})
  const local = toLocal(text)
  return share < 0.23 ? local.slice(0, below(random, local.length)) : local
}

/** Nothing is asked for beyond loopback. */
const toLocal = (text: string) => text.replace(/https?:\/\/(?!127\.0\.0\.1)[\w.]+/g, 'http://127.0.0.1:1')

function changeLeaves(random: Random, value: unknown, share: number): unknown {
  if (random() < share / 2) return makeLeaf(random)
  if (Array.isArray(value)) return value.map((each) => changeLeaves(random, each, share))
  if (typeof value !== 'object' || value === null) return random() < share ? makeLeaf(random) : value
  const entries = Object.entries(value).filter(() => random() > share / 4)
  const more = random() < share / 2 ? [[makeHostile(random), makeLeaf(random)] as const] : []
  return Object.fromEntries([
    ...entries.map(([key, each]) => [key, changeLeaves(random, each, share)] as const),
    ...more,
  ])
}
