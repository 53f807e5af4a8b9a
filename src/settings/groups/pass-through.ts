/** Operations that are passed through to another server. */
import { origins, text } from '../kinds.ts'
import type { Rows } from '../row.ts'

const origin = {
  values: 'origin: https://original.example',
  parse(value: string): string {
    const [only = '', ...others] = origins.parse(value, '')
    if (others.length === 0) return only
    throw new Error('must be one origin')
  },
}

export const passThrough = {
  /** For drafts, besides those of the active configuration. */
  origins: {
    key: 'ig.passThrough.origins',
    kind: origins,
    help: 'origins that drafts in the console may pass operations through to, in addition to those in the active configuration',
    see: '36.3',
  },
  serviceOrigin: {
    key: 'ig.passThrough.service.origin',
    kind: origin,
    help: 'the origin that gets the credentials of operations with credentials: service',
    see: '36.5',
  },
  serviceUser: {
    key: 'ig.passThrough.service.user',
    kind: text,
    help: 'user for ig.passThrough.service.origin, sent as Basic credentials',
    see: '36.5',
  },
  servicePassword: {
    key: 'ig.passThrough.service.password',
    kind: text,
    help: 'password of ig.passThrough.service.user',
    see: '36.5',
    isSecret: true,
  },
} as const satisfies Rows
