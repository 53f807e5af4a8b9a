/**
 * Logs once when the database becomes full, is removed or damaged, and once when that ends (specification 5.8, 23.1,
 * 23.2).
 */
import type { LogLevel, Observe } from '../model/observation.ts'
import type { Store } from './store.ts'

interface StateEvent {
  readonly name: string
  readonly level: LogLevel
  readonly message: string
  readonly error?: unknown
}

interface State {
  /** Undefined while it does not apply. */
  readonly begins: (store: Pick<Store, 'full' | 'fault'>) => StateEvent | undefined
  readonly ends: StateEvent
}

export const storeFullMessage =
  'The disk of the database is full. Calls that write get 500 and store nothing; calls that only read still work. Free disk space.'

const states: readonly State[] = [
  {
    begins: ({ full: error }) =>
      error && {
        name: 'storeFull',
        level: 'error',
        message: storeFullMessage,
        error,
      },
    ends: { name: 'storeHasRoom', level: 'warning', message: 'The database has disk space again.' },
  },
  {
    begins: ({ fault }) => fault && { level: 'error', ...fault },
    ends: {
      name: 'storeFileBack',
      level: 'warning',
      message: 'The database file is back; calls that need it work again.',
    },
  },
]

/** @returns a check that reports changes since the previous check */
export function openStoreReporter(store: Pick<Store, 'full' | 'fault'>, observe: Observe): () => void {
  const holding = new Map<State, string>()
  return () => {
    for (const state of states) {
      const event = state.begins(store)
      if (event?.name === holding.get(state)) continue
      observe({ kind: 'event', ...(event ?? state.ends) })
      if (event) holding.set(state, event.name)
      else holding.delete(state)
    }
  }
}
