/**
 * Wrong passwords, counted by network, for each name and for all names together (specification 3.24 to 3.26): after the first few,
 * the answer that it was wrong comes later and later. A right one is answered at once, so that no one is locked out. A guesser of
 * one name gains nothing by not waiting for the answer: a wrong one takes a place (`places.ts`).
 */
import { hash } from 'node:crypto'
import { networkOf, siteOf } from '../../base/network.ts'
import { openPlaces, type Places } from './places.ts'
import type { Presence } from './presence.ts'

export interface Guess {
  readonly address: string
  readonly name: string
  /** Of its client; by default it is present until the end. */
  presence?(): Presence
}

/** How it ended; of a wrong one, until when its answer waits. */
export type Verdict<Result> = { readonly result: Result } | { readonly error: unknown; readonly until: number }

export interface Guesses {
  /**
   * The order in which passwords are verified, as it is when it is asked for: 0 first, more for a site without a right one lately
   * or with more wrong or waiting ones, and within it for a name with more of them.
   */
  rankOf(guess: Guess): () => number
  /**
   * Verifies once the name and network have a place. Never rejects for what `verify` rejects with.
   * @throws what `full` makes, where too many wait for a place
   */
  judge<Result>(guess: Guess, verify: () => Promise<Result>): Promise<Verdict<Result>>
  /** The result at once; the error when its time has come, or the client has left. */
  answer<Result>(verdict: Verdict<Result>, signal?: AbortSignal): Promise<Result>
  /** Those that wait are answered, and none waits from now on: the gateway stops. */
  release(): void
}

export interface GuessLimits {
  /** Milliseconds. */
  readonly maxDelay: number
  /** Wrong ones of a name and network whose delay is not over, and those under way. */
  readonly places: number
  /**
   * Answers that wait at a time, of all names: beyond them a wrong one is answered at once, and holds its place all the same. So
   * many of one name and network wait for a place.
   */
  readonly waiting: number
  /** Names and networks counted at a time: beyond them those that guessed least lately are forgotten. */
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
  /** The first that is delayed, by 100 ms; each further one by twice as much. */
  readonly first: number
  /** Milliseconds after which one is forgotten. */
  readonly oneForgotten: number
  readonly most: number
}

const ofName: Rule = { first: 5, oneForgotten: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY }
/** Of all names: many people may share a network, and a proxy may never be without a wrong one for a quarter of an hour. */
const ofAll: Rule = { first: 20, oneForgotten: 10_000, most: 40 }
/** Milliseconds after which those that guessed no more begin anew. */
const forgottenAfter = 15 * 60_000
/** So many networks of a site that are delayed make all of it one network, or many more that never are: of each its first ones count. */
const mostNetworks = 10
const highestRank = 16
/** So many that are under way from a site, or wrong ones of a name, are one step of the order. */
const step = 4

interface Count {
  wrong: number
  underWay: number
  last: number
  /** Of a site: wrong ones of its networks, of each until it is delayed. */
  spread: number
  /** Of a name and network. */
  places?: Places
}

export function openGuesses(options: GuessOptions): Guesses {
  const { maxDelay = 30_000, places = 200, waiting = 1000, counted = 10_000, isWrong, full } = options
  const { now = () => performance.now() } = options
  /** Of wrong ones, in the order of the last. What was refused unverified is not in it: it would drive out the others for nothing. */
  const counts = new Map<string, Count>()
  const underWay = new Map<string, Count>()
  /** When the last right one of a site came. Not of a name: the order would tell which ones there are. */
  const rightOnes = new Map<string, number>()
  const held = new Set<() => void>()
  let isReleased = false

  const peek = (key: string): Count | undefined => {
    const count = underWay.get(key) ?? counts.get(key)
    if (!count || count.underWay > 0 || now() - count.last < forgottenAfter) return count
    counts.delete(key)
    return undefined
  }
  const find = (key: string): Count => peek(key) ?? { wrong: 0, underWay: 0, last: now(), spread: 0 }
  const begin = (key: string, count: Count) => {
    count.underWay += 1
    underWay.set(key, count)
  }
  const end = (key: string, count: Count) => {
    count.underWay -= 1
    if (count.underWay === 0) underWay.delete(key)
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
  /** @returns for how long its answer waits */
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
        const ofStranger = now() - (rightOnes.get(site) ?? Number.NEGATIVE_INFINITY) < forgottenAfter ? 0 : 1
        const siteRank = ofStranger + Math.ceil(left(ofSite.wrong, ofSite, ofAll)) + Math.floor(ofSite.underWay / step)
        const nameRank = Math.floor((count.wrong + count.underWay) / step)
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
          putLast(rightOnes, site, now(), counted)
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
      for (const count of underWay.values()) count.places?.release()
    },
  }
}

/** Beyond so many entries, instead of the one that was put least lately. */
function putLast<Value>(entries: Map<string, Value>, key: string, value: Value, most: number): void {
  entries.delete(key)
  const [oldest] = entries.keys()
  if (oldest !== undefined && entries.size >= most) entries.delete(oldest)
  entries.set(key, value)
}

/** A digest: names that are claimed may be long. */
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
