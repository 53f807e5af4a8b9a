/** Attempts to sign in that were refused, for the log: name and address, never a password (specification 18.10). */
import type { FastifyRequest } from 'fastify'
import { showLine } from '../model/escape.ts'
import type { OpenAdminOptions } from './parts.ts'
import type { AdminProblem } from './problem-details.ts'

/** Milliseconds between two of attempts beyond the limit: without that, anybody could fill the log. */
const betweenLimited = 1000

export function openSignInTeller({ observe }: Pick<OpenAdminOptions, 'observe'>) {
  let toldLimited = Number.NEGATIVE_INFINITY
  return ({ code }: AdminProblem, request: FastifyRequest, now = performance.now()): void => {
    if (!['credentialsRejected', 'invitationRejected', 'rateLimited'].includes(code)) return
    if (code === 'rateLimited') {
      if (now - toldLimited < betweenLimited) return
      toldLimited = now
    }
    const name = readName(request)
    const remoteAddress = showLine(request.ip, 60)
    const as = name === undefined ? '' : ` as ${JSON.stringify(name)}`
    const message = `Administration: an attempt to sign in${as} from ${remoteAddress} was refused (${code}).`
    const detail = { ...(name !== undefined && { name }), remoteAddress, code }
    observe({ kind: 'event', level: 'warning', name: 'signInFailed', message, detail })
  }
}

/** Of who is signed in already, or as the body says; beyond the limit no body is read. */
function readName({ caller, body }: FastifyRequest): string | undefined {
  const name = caller?.name || (body as { readonly name?: unknown } | undefined | null)?.name
  return typeof name === 'string' ? showLine(name, 60) : undefined
}
