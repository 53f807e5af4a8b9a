/** Webhooks: events that the gateway sends. */
import type { Problem } from '../../model/problem.ts'
import { type Kind, listOf, origins } from '../../settings/kinds.ts'
import type { Rows, Values } from '../../settings/row.ts'

const urls: Kind<readonly string[]> = {
  values: 'https URLs with commas between them, at most 10',
  parse(text) {
    const all = listOf(text)
    const isRight = (url: string) =>
      URL.canParse(url) && new URL(url).protocol === 'https:' && !/@|#/.test(new URL(url).origin + url)
    if (all.length > 10 || new Set(all).size < all.length || !all.every(isRight))
      throw new Error(
        'must be different https URLs without user name and fragment, with commas between them, at most 10',
      )
    return all.map((url) => new URL(url).href)
  },
}

/** As Standard Webhooks writes them; bytes. */
const secrets: Kind<readonly Buffer[]> = {
  values: 'whsec_ and 24 to 64 bytes in base64; two with a comma between them while the first replaces the second',
  parse: (text) =>
    listOf(text).map((each) => {
      const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(each)?.[1] ?? ''
      const secret = Buffer.from(encoded, 'base64')
      if (secret.length >= 24 && secret.length <= 64 && secret.toString('base64') === encoded) return secret
      throw new Error('must be whsec_ and 24 to 64 bytes in base64, as: echo whsec_$(openssl rand -base64 32)')
    }),
}

const events: Kind<ReadonlySet<string>> = {
  values: 'names of events with commas between them: storeAway, limitReached',
  parse: (text, _, eventNames) =>
    new Set(
      listOf(text).map((name) => {
        if (eventNames?.has(name)) return name
        throw new Error('must be names of the events of specification 35.1, with commas between them')
      }),
    ),
}

export const settings = {
  /** Undefined: off. */
  urls: {
    key: 'ig.webhooks.urls',
    kind: urls,
    help: 'receivers of events; by default none',
    see: '35.2',
    isSecret: true,
  },
  secrets: {
    key: 'ig.webhooks.secret',
    kind: secrets,
    help: 'signs webhooks, so that receivers can verify them',
    see: '35.4',
    isSecret: true,
  },
  /** Undefined: all. */
  events: {
    key: 'ig.webhooks.events',
    kind: events,
    help: 'the events to send; by default all',
    see: '35.1',
  },
  origins: {
    key: 'ig.webhooks.origins',
    kind: origins,
    help: 'origins of receivers that may have private or loopback addresses',
    see: '35.3',
  },
} as const satisfies Rows

export function* checkSettings({ webhooks }: { readonly webhooks: Values<typeof settings> }): Iterable<Problem> {
  if (webhooks.urls && !webhooks.secrets)
    yield { path: 'ig.webhooks.secret', message: 'is missing: it signs what ig.webhooks.urls receive' }
}
