/**
 * The administration API on Fastify (specification 18.13 to 18.18). Loaded by the first request. Every
 * route comes from the table, and its permission is checked before the body is read.
 */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import fastifyCookie from '@fastify/cookie'
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Access, type Answer, type Caller, isSafe } from '../actions/action.ts'
import { isOutage, storeAway } from '../actions/outage.ts'
import { perform } from '../actions/perform.ts'
import {
  AdminProblem,
  asProblem,
  problemContentType,
  problemTable,
  unknownPath,
  writeProblem,
} from '../actions/problem-details.ts'
import { loadContributions } from '../feature.ts'
import { type Arrival, addressOf, findArrival } from '../model/arrival.ts'
import { openBoundedWork } from '../verification/bounded-work.ts'
import type { LoginAttempt, LoginThrottle } from '../verification/login-throttle.ts'
import { anonymous, type Guard, requireAddress, requireCaller, requireHost } from './authenticate.ts'
import { type Cookies, openCookies } from './cookies.ts'
import { type Fallback, openFallback } from './fallback.ts'
import { bodyLimit, holdBodies, publicBodyLimit } from './hold-request.ts'
import { addPages } from './pages.ts'
import type { AdminParts, OpenAdminOptions } from './parts.ts'
import { readJsonBodies } from './read-json-bodies.ts'
import { openSignInReport, reportSession } from './report-sign-in.ts'
import type { Route } from './route.ts'
import { routes } from './routes/routes.ts'
import { securityHeaders } from './security-headers.ts'
import { openFlows } from './sign-in/flows.ts'
import { openProvider } from './sign-in/provider.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    refusedAt?: string | undefined
    isBeforeFactor?: boolean | undefined
  }
  interface FastifyRequest {
    caller: Caller
    /** Where it comes from, through trusted proxies. */
    arrival: Arrival
  }
}

/** Host names accepted by a listener on loopback; undefined for other listeners. */
export type AllowedHosts = ReadonlySet<string> | undefined

interface Parts extends OpenAdminOptions, AdminParts {
  readonly loginThrottle: LoginThrottle
}

/** One at a time, because serving calls has priority over sign-in. */
const passwords = openBoundedWork({
  concurrency: 1,
  maxWaiting: 200,
  full: 'Too many passwords of administrators are waiting to be verified.',
})

export async function openApp(
  given: OpenAdminOptions & Pick<Parts, 'loginThrottle'>,
  port: number,
  hosts: AllowedHosts,
): Promise<FastifyInstance> {
  const { oidc, tls } = given.admin
  const provider = oidc && openProvider(oidc, given.now)
  const flows = openFlows(given.settings.secretKey)
  const configuration: Parts['configuration'] = async () => given.catalog().configuration
  const permissionLists = async () => given.catalog().configuration.permissionLists.map(({ name }) => name)
  const options: Parts = { ...given, provider, flows, configuration, permissionLists }
  const isSecure = tls !== undefined
  const cookies = openCookies(isSecure, port)
  const fallback = openFallback<Caller>(options.gateway.condition, options.now)
  const guard: Guard = { parts: options, fallback, cookies }
  const app = fastify({
    loggerInstance: silent,
    bodyLimit,
    exposeHeadRoutes: false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 2000, ignoreTrailingSlash: false },
    frameworkErrors(error, request, reply) {
      reply.headers(securityHeaders(isSecure)) // no hook runs for a path that cannot be read
      void refuse(error, request, reply, options)
    },
  })
  readJsonBodies(app)
  await app.register(fastifyCookie)
  app.decorateRequest('caller')
  app.decorateRequest('arrival')
  app.addHook('onRequest', async (request, reply) => {
    request.caller = anonymous
    const peer = { remoteAddress: addressOf(request.socket), isSecure }
    request.arrival = findArrival(request.headers, peer, options.settings.proxies)
    reply.headers(securityHeaders(isSecure))
    requireAddress(request.arrival, options.admin)
    requireHost(request.headers.host, hosts)
    if (request.is404) throw new AdminProblem('notFound', unknownPath)
    const { access } = request.routeOptions.config
    request.caller = await requireCaller(request, access, guard)
  })
  holdBodies(app, options.gateway.memory)
  // Checked again after the body has arrived, because rights may have ended while it was sent
  app.addHook('preHandler', async (request) => {
    const { access } = request.routeOptions.config
    if (!isSafe(request.method) && access !== 'public') request.caller = await requireCaller(request, access, guard)
  })
  const reportSignIn = openSignInReport(options)
  app.setErrorHandler(async (error, request, reply) => {
    await reportSignIn(asProblem(error), request)
    if (request.routeOptions.config.refusedAt !== undefined)
      cookies.write(reply, { flow: options.flows.drop(cookies.readFlow(request), request.url) })
    return refuse(error, request, reply, options)
  })
  app.setNotFoundHandler((request, reply) => refuse(new AdminProblem('notFound', unknownPath), request, reply, options))
  addPages(app, routes, options.settings.toolsRelease, cookies)
  await addDocuments(app, options)
  for (const route of routes) addRoute(app, withLoginThrottle(forgetting(route, fallback), options), options, cookies)
  await app.ready()
  return app
}

/** Not in the table of routes, because the response is not JSON. */
async function addDocuments(app: FastifyInstance, parts: Parts): Promise<void> {
  for (const [path, write] of (await loadContributions('documents')).flatMap((documents) => Object.entries(documents)))
    app.get(path, { config: { access: 'viewer' } }, async ({ headers }, reply) => {
      const { type, text } = write(parts, headers.accept)
      return reply.header('content-type', type).send(text)
    })
}

/** Routes that change rights end the fallback of authentication. */
function forgetting(route: Route, { forget }: Fallback<Caller>): Route {
  const isChange = isSafe(route.method) ? route.done !== undefined : route.access !== 'public'
  const ends = ['Session', 'Administrators'].includes(route.tag) && isChange
  if (!ends) return route
  const handle: Route['handle'] = async (input) => {
    try {
      return await route.handle(input)
    } finally {
      forget()
    }
  }
  return { ...route, handle }
}

/** Counts only rejected secrets, neither successes nor failed lookups. */
function withLoginThrottle(route: Route, { loginThrottle }: Pick<Parts, 'loginThrottle'>): Route {
  if (!route.isGuarded) return route
  const handle: Route['handle'] = async (input) => {
    return loginThrottle.answerAfterDelay(await loginThrottle.attempt(attemptOf(input), () => route.handle(input)))
  }
  return { ...route, handle }
}

/** The name in the body, otherwise that of the session. */
function attemptOf({
  address,
  body,
  caller,
}: Pick<Parameters<Route['handle']>[0], 'address' | 'body' | 'caller'>): LoginAttempt {
  const { name = caller.name } = (body ?? {}) as { readonly name?: string }
  return { address, name }
}

function addRoute(app: FastifyInstance, route: Route, parts: Parts, cookies: Cookies): void {
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: route.access === 'public' ? publicBodyLimit : (route.bodyLimit ?? bodyLimit),
    config: { access: route.access, refusedAt: route.refusedAt, isBeforeFactor: route.isBeforeFactor },
    async handler(request, reply) {
      const { params, query, body, headers, caller, arrival } = request
      const { remoteAddress: address } = arrival
      const asked = {
        ...{ params, query, body, caller, address },
        ifMatch: headers['if-match'],
        url: urlOf(request),
        flow: cookies.readFlow(request),
        inTurn: <Result>(work: () => Promise<Result>) =>
          passwords(work, { address, hasLeft: () => request.socket.destroyed }),
      }
      const answer = await perform(route, asked, parts)
      cookies.write(reply, answer)
      if (typeof answer.session === 'string') reportSession(parts, address, route.operationId)
      return send(route, answer, request, reply)
    },
  })
}

function send(route: Route, answer: Answer<unknown>, request: FastifyRequest, reply: FastifyReply) {
  const { etag, location, body, stream } = answer
  if (stream)
    return reply
      .header('content-type', stream.type)
      .header('content-disposition', `attachment; filename="${stream.fileName}"`)
      .send(Readable.from(stream.pieces)) // ends with the connection
  if (location !== undefined) reply.header('location', location)
  if (etag !== undefined) {
    reply.header('etag', `"${etag}"`)
    if (route.method === 'GET' && request.headers['if-none-match'] === `"${etag}"`) return reply.code(304).send()
  }
  if (!route.answer) return reply.code(route.status ?? 204).send()
  return reply.code(route.status ?? 200).send(body)
}

async function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, parts: Parts) {
  const problem = findProblem(error, parts)
  if (problem.code === 'unexpected') {
    const message = `Administration: ${request.method} ${request.routeOptions.url ?? ''} failed (request ${request.id}).`
    parts.observe({ kind: 'event', level: 'exception', name: 'administrationFailed', message, error })
  }
  const refusedAt = request.routeOptions?.config?.refusedAt
  if (refusedAt !== undefined) return reply.redirect(`${refusedAt}?refused=${problem.code}`, 303)
  if (problem.extra.headers) reply.headers(problem.extra.headers)
  return reply
    .code(problemTable[problem.code].status)
    .header('content-type', problemContentType)
    .send(JSON.stringify(writeProblem(problem, request.id)))
}

/** Attributes every failure during a store outage to the outage, which is already logged. */
function findProblem(error: unknown, { gateway: { condition } }: Pick<AdminParts, 'gateway'>): AdminProblem {
  const problem = asProblem(error)
  const mayBeStore = problem.code === 'unexpected' || problem.code === 'overloaded'
  return mayBeStore && isOutage(error, condition) ? storeAway(error) : problem
}

/** Through trusted proxies, as the browser has it. @throws AdminProblem */
function urlOf({ arrival, headers, url: target }: FastifyRequest): string {
  const url = `${arrival.isSecure ? 'https' : 'http'}://${arrival.host ?? headers.host}${target}`
  if (URL.canParse(url)) return url
  throw new AdminProblem('hostRejected', 'The host must be a host name or an address.')
}

/** Uses the gateway's log, because Fastify's would contain URLs. */
const silent = {
  level: 'silent',
  child: () => silent,
  ...Object.fromEntries(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => [level, () => {}]),
  ),
} as unknown as FastifyBaseLogger
