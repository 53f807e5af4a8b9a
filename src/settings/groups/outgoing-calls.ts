/** Calls of other services by handlers. */
import type { Kind } from '../kinds.ts'
import type { Rows } from '../row.ts'

export const origins: Kind<readonly string[]> = {
  values: 'origins with commas between them: https://hr.example, http://10.0.0.7:8080',
  parse: (text) =>
    text.split(',').map((each) => {
      const origin = each.trim().toLowerCase()
      if (URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol)) {
        const url = new URL(origin)
        if (url.href === `${url.origin}/` && !origin.endsWith('/')) return url.origin
      }
      throw new Error('must be origins, without a path, with commas between them')
    }),
}

export const fetch = {
  /** Undefined: every public one. */
  origins: {
    key: 'ig.fetch.origins',
    kind: origins,
    help: 'the only origins that handlers may call with context.fetch, private and loopback addresses included; by default every public address',
    see: '5.50',
  },
} as const satisfies Rows
