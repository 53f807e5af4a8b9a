/**
 * Delays the answers to wrong passwords when there were many, of calls and of sign-in to administration (specification 3.25,
 * 18.10). The answer to a right one is never delayed, so no one is locked out.
 */
import { hash } from 'node:crypto'
import { networkOf } from '../base/network.ts'
import { setTimeout } from '../base/timers.ts'

export interface LoginAttempt {
  readonly address: string
  readonly name: string
}

/** The result, or the error and until when its answer is delayed. */
export type AttemptOutcome<Result> = { readonly result: Result } | { readonly error: unknown; readonly until: number }

export interface LoginThrottle {
  /** Verifies, and counts a wrong password. Never rejects. */
  attempt<Result>(attempt: LoginAttempt, verify: () => Promise<Result>): Promise<AttemptOutcome<Result>>
  /** Returns the result immediately; throws the error after its delay, or when the client has disconnected. */
  answerAfterDelay<Result>(outcome: AttemptOutcome<Result>, signal?: AbortSignal): Promise<Result>
  /** Ends all delays, now and later: the gateway stops. */
  endDelays(): void
}

export interface LoginThrottleOptions {
  /** Milliseconds. */
  readonly maxDelay?: number
  isWrong(error: unknown): boolean
  /** Milliseconds. */
  now?(): number
}

/** The wrong password from which on answers are delayed: for one name from one network, and for all names from it. */
const first = { ofName: 5, ofNetwork: 20 }
const firstDelay = 200
/** Milliseconds without a wrong password after which counting starts again. */
const forgottenAfter = 15 * 60_000
/** Names and networks; the one without a wrong password for the longest time is dropped first. */
const maxCounts = 10_000

interface Count {
  readonly wrong: number
  readonly last: number
}

export function openLoginThrottle({
  maxDelay = 30_000,
  isWrong,
  now = () => performance.now(),
}: LoginThrottleOptions): LoginThrottle {
  const counts = { ofName: new Map<string, Count>(), ofNetwork: new Map<string, Count>() }
  const delayed = new Set<() => void>()
  let isReleased = false

  /** @returns the delay of the answer in milliseconds */
  const countWrong = (kind: keyof typeof counts, key: string): number => {
    const known = counts[kind].get(key)
    const wrong = known && now() - known.last < forgottenAfter ? known.wrong + 1 : 1
    counts[kind].delete(key)
    const [oldest] = counts[kind].keys()
    if (oldest !== undefined && counts[kind].size >= maxCounts) counts[kind].delete(oldest)
    counts[kind].set(key, { wrong, last: now() })
    return wrong < first[kind] ? 0 : Math.min(maxDelay, firstDelay * 2 ** (wrong - first[kind]))
  }

  return {
    async attempt({ address, name }, verify) {
      try {
        return { result: await verify() }
      } catch (error) {
        if (!isWrong(error)) return { error, until: 0 }
        const network = networkOf(address)
        const ofName = countWrong('ofName', hash('sha256', `${network} ${name}`)) // claimed names may be long
        return { error, until: now() + Math.max(ofName, countWrong('ofNetwork', network)) }
      }
    },
    async answerAfterDelay(outcome, signal) {
      if ('result' in outcome) return outcome.result
      const delay = outcome.until - now()
      if (delay > 0 && !isReleased && !signal?.aborted) await wait(delay, delayed, signal)
      throw outcome.error
    },
    endDelays() {
      isReleased = true
      for (const end of delayed) end()
    },
  }
}

function wait(delay: number, delayed: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
    delayed.delete(end)
    resolve()
  }
  const timer = setTimeout(end, delay)
  signal?.addEventListener('abort', end, { once: true })
  delayed.add(end)
  return promise
}
