/** Another server answers operations, or what a node does not have here. README.md has the rules. */
import { check, findNodeBreach } from './check.ts'
import { handlerForms, nodeFields, operationsOf } from './configuration.ts'
import { checkSettings, settings } from './settings.ts'
import { cacheTables } from './tables.ts'

export const passThrough = {
  settings: { 'Pass-through': { passThrough: settings } },
  checkSettings,
  handlerForms,
  nodeFields,
  references: { nodes: { 'upstream.permissionLists': 'permissionLists' } },
  check,
  findNodeBreach,
  operationsOf,
  substitutes: {
    passedThrough: {
      words: 'passed through',
      forwards: true,
      load: async () => (await import('./pass-through.ts')).substitutes,
    },
  },
  tables: { cache: cacheTables },
  actions: async () => (await import('./actions.ts')).actions,
  nouns: { shadow: 'list the calls that shadow handlers answer differently' },
} as const
