/**
 * The first login of an operator that is marked for it, verified by the original or by an LDAP server (specification 37.9
 * to 37.11, 37.15 to 37.17).
 */
import { within } from '../../base/within.ts'
import { Refusal } from '../../model/refusal.ts'
import type { Settings } from '../../settings.ts'
import { openBoundedWork } from '../../verification/bounded-work.ts'
import { type FailureKind, FetchFailure } from '../../verification/fetch-failure.ts'
import type { PasswordSource } from '../../verification/password-source.ts'
import { openLdap } from './ldap.ts'
import { openUpstream } from './upstream.ts'

/** @returns false for a wrong password @throws FetchFailure if the server does not say */
export type Verify = (id: string, password: string) => Promise<boolean>

/** Passwords that one process verifies at a time: the server answers others too. */
const concurrency = 4
const maxWaiting = 200
/** A server that is away: each further attempt could take five seconds, too. */
const silent: ReadonlySet<FailureKind> = new Set(['timedOut', 'notReached'])

/** @returns undefined if it is not configured */
export function openFirstLogin(
  { passwords: settings }: Pick<Settings, 'passwords'>,
  now: () => number,
): PasswordSource | undefined {
  const { upstream, upstreamUntil = 0, ldap, ldapUntil = 0 } = settings
  if (upstream !== undefined) return open('The original', openUpstream(settings), () => now() < upstreamUntil)
  if (ldap !== undefined) return open('The LDAP server', openLdap(settings), () => now() < ldapUntil)
  return undefined
}

function open(server: string, verify: Verify, isOpen: () => boolean): PasswordSource {
  const full = 'Too many passwords are waiting to be verified by another server.'
  const asking = openBoundedWork({ concurrency, maxWaiting, full })
  const underWay = new Map<string, Promise<boolean>>()
  let silences = 0
  const ask = async (id: string, password: string, heard: number): Promise<boolean> => {
    if (silences > heard) throw new Refusal('overloaded', `${server} did not answer while a password waited for it.`)
    try {
      return await verify(id, password)
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error
      if (silent.has(error.kind)) silences += 1
      throw new Refusal('overloaded', `${server} did not verify a password: ${error.message}.`)
    }
  }
  return {
    server,
    isOpen,
    async verify({ id, password, client, until }) {
      const key = JSON.stringify([id, password])
      const heard = silences
      const asks =
        underWay.get(key) ?? asking(() => ask(id, password, heard), client).finally(() => underWay.delete(key))
      underWay.set(key, asks)
      const late = new Refusal('overloaded', `${server} did not verify a password in time.`)
      return within(Math.max(0, until - performance.now()), asks, late)
    },
  }
}
