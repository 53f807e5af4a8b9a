/**
 * Sessions and tokens that the store verified recently: they stay valid for reading during a store outage, and no longer
 * (specification 18.8). Those that this process ends itself are forgotten at once.
 */
import { isStoreAway, type StoreWatch } from './store-watch.ts'

/** Milliseconds since the store last verified it. */
export const fallbackFor = 5 * 60_000
/** Entries: far more than an installation has people and scripts. */
const most = 1000

export interface Verified<Caller> {
  readonly caller: Caller
  /** When the session or token ends. */
  readonly expires: number
}

export interface Fallback<Caller> {
  /** The caller with this secret: from the store, or, during an outage and with `mayFallBack`, as last verified. */
  find(key: string, mayFallBack: boolean, ask: () => Promise<Verified<Caller> | undefined>): Promise<Caller | undefined>
  /** After a change of sessions, tokens or roles: each caller is verified again. */
  forget(): void
}

export function openFallback<Caller>({ answers }: Pick<StoreWatch, 'answers'>, now: () => number): Fallback<Caller> {
  const known = new Map<string, { readonly caller: Caller; readonly until: number }>()
  let changes = 0
  return {
    async find(key, mayFallBack, ask) {
      const before = changes
      try {
        const found = await ask()
        known.delete(key) // the last one used is the last of the map
        const [oldest] = known.keys()
        if (oldest !== undefined && known.size >= most) known.delete(oldest)
        if (found && changes === before) {
          known.set(key, { caller: found.caller, until: Math.min(now() + fallbackFor, found.expires) })
        }
        return found?.caller
      } catch (error) {
        const isAway = mayFallBack && (isStoreAway(error) || !(await answers()))
        const kept = known.get(key)
        if (isAway && kept && kept.until > now()) return kept.caller
        throw error
      }
    },
    forget() {
      changes += 1
      known.clear()
    },
  }
}
