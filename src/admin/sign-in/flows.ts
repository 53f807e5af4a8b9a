/**
 * Sign-ins at the identity provider that a browser has under way, one for each of its tabs, sealed in one cookie
 * (specification 34.5).
 */
import { z } from 'zod'
import { SecretKey } from '../../base/secret-key.ts'
import { makeSecret } from '../secrets.ts'

const flow = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() })
export type BegunFlow = z.output<typeof flow>
const flows = z.array(flow)

export interface Flows {
  /** The newest first; the oldest are dropped. */
  add(cookie: string | undefined, begun: BegunFlow): string
  /** @param url that the browser comes back to */
  find(cookie: string | undefined, url: string): BegunFlow | undefined
  /** @returns the cookie without the one that this URL ends; null: none is left */
  drop(cookie: string | undefined, url: string): string | null
}

/** Characters: browsers drop cookies of more than 4,096 bytes. */
const maxCookieLength = 3_500
const purpose = 'sign-in of an administrator'

/** @param secretKey undefined: a key of this process alone */
export function openFlows(secretKey: SecretKey | undefined): Flows {
  const key = secretKey ?? new SecretKey(makeSecret())
  const write = (all: readonly BegunFlow[]): string => {
    const cookie = key.seal(purpose, JSON.stringify(all))
    return cookie.length <= maxCookieLength || all.length === 1 ? cookie : write(all.slice(0, -1))
  }
  /** A browser may send anything. */
  const read = (cookie = ''): readonly BegunFlow[] => {
    try {
      return flows.parse(JSON.parse(key.open(purpose, cookie).toString()))
    } catch {
      return []
    }
  }
  return {
    add: (cookie, begun) => write([begun, ...read(cookie)]),
    find: (cookie, url) => read(cookie).find(({ state }) => state === stateOf(url)),
    drop(cookie, url) {
      const left = read(cookie).filter(({ state }) => state !== stateOf(url))
      return left.length === 0 ? null : write(left)
    },
  }
}

function stateOf(url: string): string | null {
  return new URLSearchParams(/\?(.*)$/s.exec(url)?.[1]).get('state')
}
