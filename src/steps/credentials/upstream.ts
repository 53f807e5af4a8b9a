/** The first login of an operator without a password, verified by the original (specification 37.9 to 37.11). */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { Refusal } from '../../model/refusal.ts'
import type { Settings } from '../../settings.ts'
import { openBoundedWork } from './bounded-work.ts'
import { asFetchFailure, FetchFailure } from './fetch-failure.ts'
import { readText } from './fetch-json.ts'
import type { Presence } from './presence.ts'

export interface Upstream {
  isOpen(): boolean
  /** @returns false for a wrong password @throws Refusal `overloaded` if the original does not say */
  verify(rank: () => number, id: string, password: string, presence: () => Presence): Promise<boolean>
}

/** Of one process: the original answers other callers too. */
const concurrency = 4
const maxWaiting = 200
const timeout = 5_000

/** @returns undefined if it is not configured */
export function openUpstream(settings: Settings['passwords'], now: () => number): Upstream | undefined {
  const { upstream, upstreamUntil = 0, upstreamField, upstreamCa } = settings
  if (upstream === undefined) return undefined
  const ca = upstreamCa === undefined ? undefined : readFileSync(upstreamCa)
  const asking = openBoundedWork({ concurrency, maxWaiting, full: 'Too many passwords are waiting for the original.' })
  const underWay = new Map<string, Promise<boolean>>()

  const ask = async (id: string, password: string): Promise<boolean> => {
    const credentials = Buffer.from(`${id}:${password}`).toString('base64')
    const headers = {
      accept: 'application/json',
      authorization: `Basic ${credentials}`,
      'user-agent': 'integration-gateway',
      connection: 'close',
    }
    const signal = AbortSignal.timeout(timeout)
    try {
      const request = get(upstream, { agent: false, headers, ca, signal })
      request.on('error', () => {}) // an error after the response also belongs to the response
      const [response] = (await once(request, 'response', { signal })) as [IncomingMessage]
      try {
        if (response.statusCode === 401) return false
        const text = await readText(response)
        if (!/^application\/json *(?:;|$)/i.test(response.headers['content-type'] ?? ''))
          throw new FetchFailure('notJson')
        if (valueAt(text, upstreamField) === id) return true
      } finally {
        response.destroy()
      }
    } catch (error) {
      const failure = signal.aborted ? new FetchFailure('timedOut') : asFetchFailure(error)
      throw new Refusal('overloaded', `The original did not verify a password: ${failure.message}.`)
    }
    throw new Refusal('overloaded', `The original did not verify a password: ${upstreamField} is not the operator id.`)
  }

  return {
    isOpen: () => now() < upstreamUntil,
    verify(rank, id, password, presence) {
      const key = JSON.stringify([id, password])
      const asked = underWay.get(key)
      if (asked) return asked
      const asks = asking(rank, () => ask(id, password), presence).finally(() => underWay.delete(key))
      underWay.set(key, asks)
      return asks
    },
  }
}

function valueAt(text: string, field: string): unknown {
  try {
    return field.split('.').reduce((value: unknown, name) => Object(value)[name], JSON.parse(text))
  } catch {
    throw new FetchFailure('notJson')
  }
}
