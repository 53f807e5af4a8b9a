/** A start without its database, from a copy of what was served. README.md has the rules. */
import { secretFiles, settings } from './settings.ts'

export const lastGood = {
  settings: { Database: { lastGood: settings } },
  secretFiles,
  open: async () => (await import('./open.ts')).open,
} as const
