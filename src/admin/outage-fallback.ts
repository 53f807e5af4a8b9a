/**
 * Sessions and tokens for which the store vouched lately: while it does not answer, and no longer, they are believed for
 * reading (specification 18.8). What an administration process ends itself, it believes no more.
 */
import { isStoreAway, type StoreWatch } from './store-watch.ts'

/** Milliseconds since the store was last asked. */
export const believedFor = 5 * 60_000
/** Far more than people and scripts there are. */
const most = 1000

export interface Vouched<Caller> {
  readonly caller: Caller
  /** When the session or token ends. */
  readonly expires: number
}

export interface Belief<Caller> {
  /** Who has the secret: as the store says, or, where it does not answer and `mayBelieve`, as it said. */
  find(key: string, mayBelieve: boolean, ask: () => Promise<Vouched<Caller> | undefined>): Promise<Caller | undefined>
  /** Sessions, tokens or roles are changed: who reads is looked up again. */
  forget(): void
}

export function openBelief<Caller>({ answers }: Pick<StoreWatch, 'answers'>, now: () => number): Belief<Caller> {
  const known = new Map<string, { readonly caller: Caller; readonly until: number }>()
  let changes = 0
  return {
    async find(key, mayBelieve, ask) {
      const before = changes
      try {
        const found = await ask()
        known.delete(key) // the last one used is the last of the map
        const [oldest] = known.keys()
        if (oldest !== undefined && known.size >= most) known.delete(oldest)
        if (found && changes === before) {
          known.set(key, { caller: found.caller, until: Math.min(now() + believedFor, found.expires) })
        }
        return found?.caller
      } catch (error) {
        const isAway = mayBelieve && (isStoreAway(error) || !(await answers()))
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
