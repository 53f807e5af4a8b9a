/**
 * What administration does during an outage of the database (specification 18.8, 18.16). Sessions and tokens that it
 * verified recently stay valid for reading, and no longer; those that this process ends itself are forgotten at once.
 */
import { isOutage, type WithOutage } from '../actions/outage.ts'

/** Milliseconds since the store last verified it. */
export const fallbackFor = 5 * 60_000
/** Entries: far more than an installation has people and scripts. */
const max = 1000

export type CallerLookup<Caller> = Promise<
  { readonly caller: Caller /** When the session or token ends. */; readonly expires: number } | undefined
>

export interface Fallback<Caller> {
  /** The caller with this secret: from the store, or, during an outage and with `mayFallBack`, as last verified. */
  find(key: string, mayFallBack: boolean, ask: () => CallerLookup<Caller>): Promise<Caller | undefined>
  /** After a change of sessions, tokens or roles: each caller is verified again. */
  forget(): void
}

export function openFallback<Caller>(condition: WithOutage, now: () => number): Fallback<Caller> {
  const known = new Map<string, { readonly caller: Caller; readonly until: number }>()
  let changes = 0
  return {
    async find(key, mayFallBack, ask) {
      const before = changes
      try {
        const found = await ask()
        known.delete(key) // the last one used is the last of the map
        const [oldest] = known.keys()
        if (oldest !== undefined && known.size >= max) known.delete(oldest)
        if (found && changes === before) {
          known.set(key, { caller: found.caller, until: Math.min(now() + fallbackFor, found.expires) })
        }
        return found?.caller
      } catch (error) {
        const kept = mayFallBack && isOutage(error, condition) ? known.get(key) : undefined
        if (kept && kept.until > now()) return kept.caller
        throw error
      }
    },
    forget() {
      changes += 1
      known.clear()
    },
  }
}
