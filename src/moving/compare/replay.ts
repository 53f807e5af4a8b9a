/** Sends each call of a list to two servers, a few at a time, and compares the answers (specification 36.9, 36.12). */
import { Agent, type Dispatcher } from 'undici'
import { nameOfCall } from '../../model/called-operation.ts'
import { type ComparedAnswer, type Difference, findDifferences, type Rules } from '../../model/content/differences.ts'
import { isReservedHeader } from '../../model/reserved-header.ts'
import type { ListedCall } from './read-calls.ts'

export interface Side {
  /** The server's URL without a trailing slash. */
  readonly base: string
  readonly authorization: string | undefined
}

export interface ReplayOptions {
  readonly original: Side
  readonly gateway: Side
  readonly rules: Rules
  /** Calls at a time. */
  readonly concurrency: number
  /** Milliseconds for one answer. */
  readonly timeout: number
  onCompared(count: number): void
}

export interface ComparedCall {
  readonly call: ListedCall
  readonly differences: readonly Difference[]
}

/** A longer body is not received: the call counts as one without an answer. */
const maxBody = 16 * 1024 ** 2
/** Maximum number of listed calls that differ; the rest is only counted. */
export const maxListed = 1000
/** Maximum number of header names kept for an operation. */
const maxHeaders = 200

/** @returns the calls that differ, in the order of the list, how many there are in all, and of each operation */
export async function replay(calls: readonly ListedCall[], options: ReplayOptions) {
  const { concurrency, rules, onCompared } = options
  const agent = new Agent({ connections: concurrency, headersTimeout: 0, bodyTimeout: 0 })
  const differing: { readonly at: number; readonly compared: ComparedCall }[] = []
  const operations = new Map<string, { calls: number; differ: number; leftOut: Set<string> }>()
  let differ = 0
  let done = 0
  const pending = calls.entries()
  const work = async () => {
    for (const [at, call] of pending) {
      const [original, gateway] = await Promise.all([
        ask(agent, options.original, call, options.timeout),
        ask(agent, options.gateway, call, options.timeout),
      ])
      const differences = compare(original, gateway, rules)
      const name = nameOfCall({ method: call.method, url: call.target })
      const counted = operations.get(name) ?? { calls: 0, differ: 0, leftOut: new Set() }
      counted.calls += 1
      if (differences.length > 0) counted.differ += 1
      for (const header of listLeftOut(original, gateway)) counted.leftOut.add(`response ${header}`)
      operations.set(name, counted)
      if (differences.length > 0) {
        differ += 1
        if (differing.length < maxListed) differing.push({ at, compared: { call, differences } })
      }
      done += 1
      onCompared(done)
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, calls.length) }, work))
  } finally {
    await agent.destroy()
  }
  return {
    differ,
    operations: [...operations].map(([operation, { leftOut, ...counts }]) => ({
      operation,
      ...counts,
      leftOut: [...leftOut].sort().slice(0, maxHeaders),
    })),
    differing: differing.toSorted((one, two) => one.at - two.at).map(({ compared }) => compared),
  }
}

/** Headers of the original that the gateway does not return. */
function listLeftOut(original: Outcome, gateway: Outcome): readonly string[] {
  if (typeof original === 'string' || typeof gateway === 'string') return []
  return Object.keys(original.headers).filter((name) => !(name in gateway.headers) && !isReservedHeader(name))
}

/** A text says why there is no answer. */
type Outcome = ComparedAnswer | string

function compare(original: Outcome, gateway: Outcome, rules: Rules) {
  if (typeof original !== 'string' && typeof gateway !== 'string') return findDifferences(original, gateway, rules)
  const write = (side: Outcome) => (typeof side === 'string' ? side : `status ${side.status}`)
  return [{ what: 'answer', original: write(original), gateway: write(gateway) }]
}

async function ask(agent: Agent, side: Side, call: ListedCall, timeout: number): Promise<Outcome> {
  const { method, target, headers, body } = call
  const { authorization, base } = side
  const { origin, pathname } = new URL(base)
  const signal = AbortSignal.timeout(timeout)
  try {
    const { statusCode, ...answer } = await agent.request({
      origin,
      path: pathname.replace(/\/+$/, '') + target,
      method: method as Dispatcher.HttpMethod,
      headers: { ...headers, 'accept-encoding': 'identity', ...(authorization !== undefined && { authorization }) },
      body: body ?? null,
      signal,
    })
    const pieces: Buffer[] = []
    let size = 0
    for await (const piece of answer.body) {
      size += piece.length
      if (size > maxBody) return `no answer: longer than ${maxBody / 1024 ** 2} MiB`
      pieces.push(piece)
    }
    return { status: statusCode, headers: answer.headers, body: Buffer.concat(pieces, size) }
  } catch (error) {
    if (signal.aborted) return `no answer within ${timeout} ms`
    const { code, name } = error as NodeJS.ErrnoException
    return `no answer (${code ?? name})`
  }
}
