/** Sign-ins at the identity provider that a browser has under way, one for each of its tabs, in one cookie (specification 34.5). */
import { z } from 'zod'

const flow = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() })
export type BegunFlow = z.output<typeof flow>
const flows = z.array(flow)

/** Characters: browsers drop cookies of more than 4,096 bytes. */
const longest = 3_500

/** The newest first; the oldest are dropped. */
export function addFlow(cookie: string | undefined, begun: BegunFlow): string {
  return write([begun, ...read(cookie)])
}

/** @param url that the browser comes back to */
export function findFlow(cookie: string | undefined, url: string): BegunFlow | undefined {
  const state = stateOf(url)
  return read(cookie).find((each) => each.state === state)
}

/** @returns the cookie without the one that this URL ends; null: none is left */
export function dropFlow(cookie: string | undefined, url: string): string | null {
  const state = stateOf(url)
  const left = read(cookie).filter((each) => each.state !== state)
  return left.length === 0 ? null : write(left)
}

function stateOf(url: string): string | null {
  return new URLSearchParams(/\?(.*)$/s.exec(url)?.[1]).get('state')
}

function write(all: readonly BegunFlow[]): string {
  const cookie = Buffer.from(JSON.stringify(all)).toString('base64url')
  return cookie.length <= longest || all.length === 1 ? cookie : write(all.slice(0, -1))
}

/** A browser may send anything. */
function read(cookie = ''): readonly BegunFlow[] {
  try {
    return flows.parse(JSON.parse(Buffer.from(cookie, 'base64url').toString()))
  } catch {
    return []
  }
}
