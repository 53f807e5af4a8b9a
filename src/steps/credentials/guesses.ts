/**
 * Counts wrong passwords by network, for each name and for all names together (specification 3.24 to 3.26). After the first few,
 * the response to a wrong one is delayed more and more; a correct one is never delayed, so no one is locked out. Not waiting for the
 * response gains a guesser at one name nothing: a wrong password takes a place (`places.ts`).
 */

import { hash } from 'node:crypto'
import { networkOf, siteOf } from '../../base/network.ts'
import { setTimeout } from '../../base/timers.ts'
import { openPlaces, type Places } from './places.ts'
import type { Presence } from './presence.ts'

export interface Guess {
  readonly address: string
  readonly name: string
  /** Of its client; by default it is present until the end. */
  presence?(): Presence
}

/** The result, or the error and until when its response is delayed. */
export type Verdict<Result> = { readonly result: Result } | { readonly error: unknown; readonly until: number }

export interface Guesses {
  /**
   * The current rank of a password in the queue; 0 is first. It is higher for a site without a recent correct password or with
   * more wrong or waiting ones, and within a site for a name with more of them.
   */
  rankOf(guess: Guess): () => number
  /**
   * Verifies once the name and network have a place. Never rejects for what `verify` rejects with.
   * @throws the error of `full` if too many wait for a place
   */
  judge<Result>(guess: Guess, verify: () => Promise<Result>): Promise<Verdict<Result>>
  /** Returns the result immediately; throws the error after its delay, or when the client has disconnected. */
  answer<Result>(verdict: Verdict<Result>, signal?: AbortSignal): Promise<Result>
  /** Ends all delays, now and later: the gateway stops. */
  release(): void
}

export interface GuessLimits {
  /** Milliseconds. */
  readonly maxDelay: number
  /** Places of a name and network, for wrong passwords during their delay and for passwords being verified. */
  readonly places: number
  /**
   * Maximum number of delayed responses, for all names; beyond it the response to a wrong password is not delayed, but the password
   * still holds its place. Also the maximum number of passwords of one name and network that wait for a place.
   */
  readonly waiting: number
  /** Maximum number of counted names and networks; those with the oldest guesses are dropped first. */
  readonly counted: number
}

export interface GuessOptions extends Partial<GuessLimits> {
  isWrong(error: unknown): boolean
  /** @param seconds until there is a place, at least 1 */
  full(seconds: number): Error
  /** Milliseconds. */
  now?(): number
}

interface Rule {
  /** The first wrong password that is delayed, by 100 ms; the delay doubles with each further one. */
  readonly first: number
  /** Milliseconds after which one is forgotten. */
  readonly oneForgotten: number
  readonly most: number
}

const ofName: Rule = { first: 5, oneForgotten: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY }
/** For all names: many people may share a network, and a proxy may never have 15 minutes without a wrong password. */
const ofAll: Rule = { first: 20, oneForgotten: 10_000, most: 40 }
/** Milliseconds without a wrong password after which counting starts again. */
const forgottenAfter = 15 * 60_000
/** After wrong passwords for this many delayed networks, a site counts as one network; of each network only the first ones count. */
const mostNetworks = 10
const highestRank = 16
/** This many pending passwords of a site, or wrong or pending ones of a name, raise the rank by one. */
const step = 4

interface Count {
  wrong: number
  pending: number
  last: number
  /** For a site: wrong passwords of its networks, each counted until it is delayed. */
  spread: number
  /** For a name and network. */
  places?: Places
}

export function openGuesses(options: GuessOptions): Guesses {
  const { maxDelay = 30_000, places = 200, waiting = 1000, counted = 10_000, isWrong, full } = options
  const { now = () => performance.now() } = options
  /** Wrong passwords, the latest last. Passwords that are refused unverified are left out: they would displace others. */
  const counts = new Map<string, Count>()
  const pending = new Map<string, Count>()
  /** When the last correct password of a site came. Not kept for names: the order would reveal which names exist. */
  const lastCorrect = new Map<string, number>()
  const held = new Set<() => void>()
  let isReleased = false

  const peek = (key: string): Count | undefined => {
    const count = pending.get(key) ?? counts.get(key)
    if (!count || count.pending > 0 || now() - count.last < forgottenAfter) return count
    counts.delete(key)
    return undefined
  }
  const find = (key: string): Count => peek(key) ?? { wrong: 0, pending: 0, last: now(), spread: 0 }
  const begin = (key: string, count: Count) => {
    count.pending += 1
    pending.set(key, count)
  }
  const end = (key: string, count: Count) => {
    count.pending -= 1
    if (count.pending === 0) pending.delete(key)
  }
  const keep = (key: string, count: Count) => {
    count.last = now()
    putLast(counts, key, count, counted)
  }
  const findNetwork = (rule: Rule, address: string, name?: string) => {
    const [network, site] = [networkOf(address), siteOf(address)]
    const siteKey = keyOf(site, name)
    const ofSite = network === site ? undefined : peek(siteKey)
    const isSite = ofSite !== undefined && ofSite.spread >= mostNetworks * rule.first
    const key = isSite ? siteKey : keyOf(network, name)
    return { key, count: find(key), siteKey: isSite || network === site ? undefined : siteKey, rule }
  }
  const left = (wrong: number, { last }: Count, { oneForgotten }: Rule) =>
    Math.max(0, wrong - (now() - last) / oneForgotten)
  const add = (key: string, count: Count, rule: Rule) => {
    count.wrong = Math.min(rule.most, left(count.wrong, count, rule) + 1)
    keep(key, count)
  }
  /** @returns the delay of the response in milliseconds */
  const noteWrong = ({ key, count, siteKey, rule }: ReturnType<typeof findNetwork>): number => {
    add(key, count, rule)
    const further = Math.floor(count.wrong) - rule.first
    if (siteKey !== undefined && further <= 0) {
      const ofSite = find(siteKey)
      ofSite.spread += 1
      if (ofSite.spread === mostNetworks * rule.first) ofSite.wrong = rule.first
      keep(siteKey, ofSite)
    }
    return further < 0 ? 0 : Math.min(maxDelay, 100 * 2 ** further)
  }

  return {
    rankOf({ address, name }) {
      const site = siteOf(address)
      const { key } = findNetwork(ofName, address, name)
      return () => {
        const [ofSite, count] = [find(site), find(key)]
        const unknownSite = now() - (lastCorrect.get(site) ?? Number.NEGATIVE_INFINITY) < forgottenAfter ? 0 : 1
        const siteRank = unknownSite + Math.ceil(left(ofSite.wrong, ofSite, ofAll)) + Math.floor(ofSite.pending / step)
        const nameRank = Math.floor((count.wrong + count.pending) / step)
        return Math.min(highestRank, siteRank) * (highestRank + 1) + Math.min(highestRank, nameRank)
      }
    },
    async judge(guess, verify) {
      const { address, name, presence = () => 'present' } = guess
      const found = findNetwork(ofName, address, name)
      const { key, count } = found
      count.places ??= openPlaces({ places, maxDelay, maxWaiting: waiting, full, now })
      const site = siteOf(address)
      const ofSite = find(site)
      begin(site, ofSite)
      begin(key, count)
      let delay = 0
      try {
        await count.places.enter(presence)
        try {
          const result = await verify()
          putLast(lastCorrect, site, now(), counted)
          return { result }
        } catch (error) {
          if (!isWrong(error)) return { error, until: 0 }
          add(site, ofSite, ofAll)
          delay = noteWrong(found)
          return { error, until: now() + Math.max(delay, noteWrong(findNetwork(ofAll, address))) }
        } finally {
          count.places.leave(delay)
        }
      } finally {
        end(site, ofSite)
        end(key, count)
      }
    },
    async answer(verdict, signal) {
      if ('result' in verdict) return verdict.result
      const delay = verdict.until - now()
      if (delay > 0 && held.size < waiting && !isReleased && !signal?.aborted) await wait(delay, held, signal)
      throw verdict.error
    },
    release() {
      isReleased = true
      for (const end of held) end()
      for (const count of pending.values()) count.places?.release()
    },
  }
}

/** At the maximum, replaces the entry that was put first. */
function putLast<Value>(entries: Map<string, Value>, key: string, value: Value, most: number): void {
  entries.delete(key)
  const [oldest] = entries.keys()
  if (oldest !== undefined && entries.size >= most) entries.delete(oldest)
  entries.set(key, value)
}

/** A digest, because claimed names may be long. */
function keyOf(network: string, name?: string): string {
  return name === undefined ? `all names ${network}` : hash('sha256', `${network} ${name}`)
}

function wait(delay: number, held: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
    held.delete(end)
    resolve()
  }
  const timer = setTimeout(end, delay)
  signal?.addEventListener('abort', end, { once: true })
  held.add(end)
  return promise
}
