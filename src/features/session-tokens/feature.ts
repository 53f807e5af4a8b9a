/** Callers sign in once, and call with a token that the gateway signs. README.md has the rules. */
import { check, nodeFields } from './configuration.ts'
import { settings } from './settings.ts'
import { mainTables } from './tables.ts'

export const sessionTokens = {
  settings: { 'Session tokens': { sessionToken: settings } },
  nodeFields,
  check,
  tables: { main: mainTables },
  verifiers: async () => (await import('./verifier.ts')).openVerifiers,
  secrets: async () => (await import('./session-keys.ts')).listKeySecrets,
  actions: async () => (await import('./actions.ts')).actions,
  nouns: { 'session-token': 'list and rotate the keys of session tokens, and revoke tokens' },
  testing: async () => (await import('./testing.ts')).testSessionTokens,
} as const
