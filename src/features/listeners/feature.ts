/** Other listeners of the original, of which only listed calls get through. README.md has the rules. */
import { check, listener, operationIds, operationsOf } from './configuration.ts'

export const listeners = {
  lists: {
    listeners: {
      schema: listener,
      id: 'connector',
      path: 'listeners',
      title: 'Listener',
      tag: 'Listeners',
      noun: 'listener',
      example: {
        connector: 'HttpListeningConnector',
        passThrough: 'https://original.example',
        verification: 'Basic',
        allow: [{ operation: 'JOB_SYNC.v1', from: 'PARTNER', to: 'PSFT_HR' }],
      },
    },
  },
  check,
  operationsOf,
  operationIds,
  targets: async () => (await import('./find-listener.ts')).findListener,
} as const
