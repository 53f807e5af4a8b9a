/** Logs sign-ins with their address, refused ones with the name, never with a password (specification 18.10, 18.40, 8.10, 34.6). */
import type { FastifyRequest } from 'fastify'
import type { AdminProblem, ProblemCode } from '../actions/problem-details.ts'
import { showLine } from '../base/escape.ts'
import { openPerMinute } from '../base/per-minute.ts'
import { unknownName, withClaimed } from '../model/claimed-name.ts'
import type { OpenAdminOptions } from './parts.ts'

const reported: ReadonlySet<ProblemCode> = new Set([
  'credentialsRejected',
  'invitationRejected',
  'secondFactorRejected',
  'providerRejected',
  'providerAway',
  'accessDenied',
  'nameTaken',
])

export function openSignInReport({ observe, store }: Pick<OpenAdminOptions, 'observe' | 'store'>) {
  const refused = openPerMinute((counts) => {
    const count = counts.get('') ?? 0
    const message =
      count === 1
        ? 'Administration: an attempt to sign in was refused.'
        : `Administration: ${count} attempts to sign in were refused in the last minute.`
    observe({ kind: 'event', level: 'warning', name: 'signInsRefused', message, detail: { count } })
  })
  const { administrators } = store.administration
  /** Hides unknown names, because they may be passwords typed into the wrong field. */
  const findName = async (claimed: string): Promise<string> => {
    const known = await administrators.find(claimed).catch(() => undefined)
    return known ? showLine(known.name, 60) : unknownName
  }
  return async ({ code, extra }: AdminProblem, request: FastifyRequest): Promise<void> => {
    if (!reported.has(code)) return
    refused.count()
    const claimed = readName(request)
    const name = claimed === undefined ? undefined : await findName(claimed)
    const remoteAddress = showLine(request.arrival.remoteAddress, 60)
    const reason = `Administration: an attempt to sign in from ${remoteAddress} was refused: ${code}${extra.reason === undefined ? '' : `, ${extra.reason}`}`
    const message = `${name === undefined ? reason : withClaimed(reason, name)}.`
    observe({ kind: 'event', level: 'warning', name: 'signInFailed', message, detail: { remoteAddress, code } })
  }
}

/** The audit has the name. @param how the route */
export function reportSession({ observe }: Pick<OpenAdminOptions, 'observe'>, from: string, how: string): void {
  const remoteAddress = showLine(from, 60)
  const message = `Administration: a session from ${remoteAddress} began (${how}).`
  observe({ kind: 'event', level: 'information', name: 'signedIn', message, detail: { remoteAddress } })
}

/** The name of the session, or of the body; beyond the limit the body is not read. */
function readName({ caller, body }: FastifyRequest): string | undefined {
  const name = caller?.name || (body as { readonly name?: unknown } | undefined | null)?.name
  return typeof name === 'string' ? name.slice(0, 60) : undefined
}
