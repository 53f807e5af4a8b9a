/** The cookies of administration: the session, and a sign-in at the identity provider that is under way (specification 18.7, 34.5). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../actions/action.ts'

export const sessionLife = 12 * 3_600_000
/** Milliseconds for a person to sign in at the provider. */
const flowLife = 10 * 60_000

export interface Cookies {
  readSession(request: FastifyRequest): string | undefined
  readFlow(request: FastifyRequest): string | undefined
  write(reply: FastifyReply, answer: Pick<Answer<unknown>, 'session' | 'flow'>): void
}

/** @param port cookies ignore ports */
export function openCookies(isSecure: boolean, port: number): Cookies {
  const isOverTls = ({ arrival }: FastifyRequest) => isSecure || arrival.isSecure
  const nameOf = (request: FastifyRequest, kind: '' | '-flow') =>
    `${isOverTls(request) ? '__Host-' : ''}ig-admin-${port}${kind}`
  const set = (reply: FastifyReply, kind: '' | '-flow', value: string | null | undefined, life: number) => {
    if (value === undefined) return
    const secure = isOverTls(reply.request)
    const name = nameOf(reply.request, kind)
    // Lax: the provider sends the browser back, which is a navigation from another site
    const sameSite = kind === '-flow' ? 'lax' : 'strict'
    const fixed = { path: '/', httpOnly: true, sameSite, secure } as const
    if (value === null) reply.clearCookie(name, fixed)
    else reply.setCookie(name, value, { ...fixed, maxAge: life / 1000 })
  }
  return {
    readSession: (request) => request.cookies[nameOf(request, '')],
    readFlow: (request) => request.cookies[nameOf(request, '-flow')],
    write(reply, answer) {
      set(reply, '', answer.session, sessionLife)
      set(reply, '-flow', answer.flow, flowLife)
    },
  }
}
