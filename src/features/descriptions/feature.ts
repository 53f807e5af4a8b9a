/** OpenAPI and WADL of the operations that a caller may call. README.md has the rules. */
import { settings } from './settings.ts'

export const descriptions = {
  settings: { Gateway: settings },
  targets: async () => (await import('./describe-api.ts')).findDescriptions,
  verbs: {
    describe: {
      summary: 'print the operations of a project in OpenAPI or WADL',
      load: async () => (await import('./verb.ts')).describe,
    },
  },
} as const
