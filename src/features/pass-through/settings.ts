/** Operations that are passed through to another server. */
import type { Problem } from '../../model/problem.ts'
import { origins, text } from '../../settings/kinds.ts'
import type { Rows } from '../../settings/row.ts'

const origin = {
  values: 'origin: https://original.example',
  parse(value: string): string {
    const [only = '', ...others] = origins.parse(value, '')
    if (others.length === 0) return only
    throw new Error('must be one origin')
  },
}

export const settings = {
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

export function* checkSettings({
  passThrough,
}: {
  readonly passThrough: Readonly<
    Partial<Record<'serviceOrigin' | 'serviceUser' | 'servicePassword', string | undefined>>
  >
}): Iterable<Problem> {
  const { serviceOrigin: origin, serviceUser: user, servicePassword: password } = passThrough
  const parts = Object.entries({ origin, user, password })
  if (parts.every(([, value]) => value === undefined)) return
  for (const [key, value] of parts)
    if (value === undefined)
      yield {
        path: `ig.passThrough.service.${key}`,
        message: 'is missing: ig.passThrough.service needs origin, user and password',
      }
}
