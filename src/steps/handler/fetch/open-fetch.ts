/**
 * `context.fetch`: calls of other services, with the limits that an author would otherwise write himself (specification
 * 5.50 to 5.53). `undici` makes the connections; an address is checked when it is connected to.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from 'undici'
import { type AddressKind, AddressRefused, type AddressRule, openAddressRule } from '../../../base/refused-addresses.ts'
import { setTimeout } from '../../../base/timers.ts'
import { FetchError, type FetchOptions } from '../../../model/handler-fetch.ts'
import type { Timeline } from '../../../model/timeline.ts'
import { Breakers } from './breakers.ts'
import { copyResponse, limitBody } from './limit-body.ts'
import { followRedirect, type OutgoingRequest } from './redirects.ts'
import { away, delayOf, findDelay, mayRepeat } from './retries.ts'

/** What a call, a job or a resource adds. */
export interface FetchRun {
  readonly signal: AbortSignal
  /** Trace headers; those of the options come first. */
  readonly headers?: Readonly<Record<string, string>>
  /** Of the call. */
  readonly timeline?: Timeline | undefined
}

export interface OutgoingCalls {
  fetch(url: string | URL, options: FetchOptions | undefined, run: FetchRun): Promise<Response>
  close(): Promise<void>
}

export interface OutgoingOptions {
  /** `ig.fetch.origins`: all that may be called; undefined: every public one. */
  readonly origins: ReadonlySet<string> | undefined
  /** `ig dev`, tests. */
  readonly allowsLoopback: boolean
  now(): number
  /** Tests pass their own. */
  readonly clock?: () => number
  readonly random?: () => number
  readonly resolveName?: Parameters<typeof openAddressRule>[1]
}

/** Milliseconds. */
const defaultTimeout = 10_000
/** The longest timer that Node has. */
const maxTimeout = 2 ** 31 - 1
const maxRedirects = 5
/** Maximum number of connections to one origin. */
const maxConnections = 64

type Reach = 'listed' | 'local' | 'public'
const refusedFrom: Readonly<Record<Reach, readonly AddressKind[]>> = {
  listed: ['linkLocal', 'unspecified'],
  local: ['linkLocal', 'unspecified', 'privateUse'],
  public: ['linkLocal', 'unspecified', 'privateUse', 'loopback'],
}

interface Line {
  readonly rule: AddressRule
  readonly agent: Agent
}

export function openOutgoingCalls(options: OutgoingOptions): OutgoingCalls {
  const { origins, allowsLoopback, now, clock = () => performance.now(), random = Math.random, resolveName } = options
  const breakers = new Breakers(clock)
  const lines = new Map<Reach, Line>()

  const openLine = async (reach: Reach): Promise<Line> => {
    const { Agent } = await import('undici') // most projects call no one
    const known = lines.get(reach)
    if (known) return known
    const rule = openAddressRule(refusedFrom[reach], resolveName)
    const agent = new Agent({ connect: { lookup: rule.lookup, timeout: defaultTimeout }, connections: maxConnections })
    lines.set(reach, { rule, agent })
    return { rule, agent }
  }
  const findLine = async ({ origin, protocol, username, password }: URL): Promise<Line> => {
    if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError('context.fetch takes an http or https URL')
    if (username !== '' || password !== '')
      throw new TypeError('context.fetch takes no credentials in a URL: send a header')
    if (origins && !origins.has(origin))
      throw new FetchError(
        'originRefused',
        `${origin} is not in ig.fetch.origins, which lists all that handlers may call`,
      )
    return openLine(origins ? 'listed' : allowsLoopback ? 'local' : 'public')
  }

  /** One request, without a second attempt. */
  const send = async ({ url, method, headers, body }: OutgoingRequest, signal: AbortSignal): Promise<Response> => {
    const { rule, agent } = await findLine(url)
    try {
      rule.requireAllowed(url)
      const { fetch } = await import('undici')
      const given = { method, headers, redirect: 'manual', signal, dispatcher: agent, body: body ?? null } as const
      return (await fetch(url, given)) as unknown as Response
    } catch (error) {
      throw describeFailure(error, url.origin, signal)
    }
  }
  const describeFailure = (error: unknown, origin: string, signal: AbortSignal): unknown => {
    if (signal.aborted) return signal.reason
    const cause = (error as Error).cause ?? error
    if (cause instanceof AddressRefused) {
      const why = origins
        ? 'a link-local or unspecified address, which handlers never call'
        : 'an address that is refused. ig.fetch.origins can allow private and loopback ones'
      return new FetchError('addressRefused', `${origin} has ${why}`, cause)
    }
    const { code = '' } = cause as NodeJS.ErrnoException
    const isOfOptions = code === 'UND_ERR_INVALID_ARG' || (error as Error).cause === undefined
    if (error instanceof TypeError && isOfOptions)
      return code === '' ? error : new TypeError(`context.fetch: ${(cause as Error).message}`)
    return new FetchError('failed', `${origin} could not be called${code && ` (${code})`}`, cause)
  }

  /** Sends the request, and repeats it if the method allows that. */
  const attempt = async (request: OutgoingRequest, signal: AbortSignal, end: number): Promise<Response> => {
    for (let index = 0; ; index++) {
      let delay: number | undefined
      let response: Response | undefined
      try {
        response = await send(request, signal)
        delay = mayRepeat(request.method, index) ? findDelay(response, index, now(), random) : undefined
        if (delay === undefined || clock() + delay >= end) return response
      } catch (error) {
        const isWorthIt = error instanceof FetchError && error.code === 'failed'
        if (!isWorthIt || !mayRepeat(request.method, index)) throw error
        delay = delayOf(index, random)
      }
      await response?.body?.cancel()
      await sleep(delay, undefined, { signal }).catch(() => {
        throw signal.reason
      })
    }
  }
  /** However often it was attempted, it counts once. */
  const guard = async (request: OutgoingRequest, signal: AbortSignal, end: number): Promise<Response> => {
    const { origin } = request.url
    if (!breakers.admit(origin))
      throw new FetchError('circuitOpen', `${origin} failed several times in a row and is not asked for some seconds`)
    try {
      const response = await attempt(request, signal, end)
      if (away.has(response.status)) breakers.failed(origin)
      else breakers.succeeded(origin)
      return response
    } catch (error) {
      const isOfOrigin = error instanceof FetchError && (error.code === 'failed' || error.code === 'timedOut')
      if (isOfOrigin) breakers.failed(origin)
      else breakers.gaveUp(origin)
      throw error
    }
  }

  return {
    async fetch(given, options = {}, run) {
      const { method = 'GET', body, redirect = 'manual', timeout = defaultTimeout, isStreamed = false } = options
      if (!(timeout > 0 && timeout <= maxTimeout))
        throw new TypeError(`The timeout of context.fetch is 1 to ${maxTimeout} ms, not ${String(timeout)}`)
      const headers = { ...run.headers, ...lowerCase(options.headers ?? {}) }
      let request: OutgoingRequest = { url: new URL(given), method: method.toUpperCase(), headers, body }
      const limit = new AbortController()
      const late = new FetchError('timedOut', `${request.url.origin} gave no complete answer within ${timeout} ms`)
      const timer = setTimeout(() => limit.abort(late), timeout).unref()
      const signal = AbortSignal.any([run.signal, limit.signal, ...(options.signal ? [options.signal] : [])])
      signal.throwIfAborted()
      const end = clock() + timeout
      for (let redirects = 0; ; redirects++) {
        const ended = run.timeline?.begin('service', `${request.method} ${request.url.origin}`)
        const response = await guard(request, signal, end).catch((error) => {
          ended?.(error)
          throw error
        })
        ended?.(undefined)
        const next = redirect === 'follow' ? followRedirect(request, response) : undefined
        if (!next) {
          const stopTimer = () => clearTimeout(timer)
          if (!isStreamed) return limitBody(response, request.url, stopTimer)
          stopTimer()
          return copyResponse(response, request.url, response.body)
        }
        await response.body?.cancel()
        if (redirects === maxRedirects)
          throw new FetchError('tooManyRedirects', `${request.url.origin} redirects more than ${maxRedirects} times`)
        request = next
      }
    },
    async close() {
      await Promise.all([...lines.values()].map(({ agent }) => agent.destroy()))
    },
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
