/** Recorded responses that answer operations without a handler. README.md has the rules. */
import { check } from './check.ts'
import { handlerFields } from './configuration.ts'

export const standIns = {
  handlerFields,
  check,
  substitutes: {
    standIn: { words: 'stand-in', load: async () => (await import('./stand-in.ts')).substitutes },
  },
} as const
