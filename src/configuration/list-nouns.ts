/** The lists of a configuration for people: one item of each. */
import { mapContributions } from '../features.ts'
import type { ListName } from './canonical.ts'
import type { ListRow } from './list-row.ts'

export const listNouns: Readonly<Record<ListName, string>> = {
  gateway: 'field',
  operations: 'operation',
  services: 'service',
  permissionLists: 'permission list',
  nodes: 'node',
  documents: 'document',
  messages: 'message',
  oauth2ServiceApps: 'OAuth2 service app',
  ...mapContributions('lists', ({ noun }: ListRow) => noun),
  limits: 'limit',
}

/** `2 operations` */
export function countItems(count: number, list: ListName): string {
  return `${count} ${listNouns[list]}${count === 1 ? '' : 's'}`
}
