/** The keys of session tokens, and what is revoked of the tokens (specification 27.14). */
import { z } from 'zod'
import { type ActionParts, action } from '../../actions/action.ts'
import { AdminProblem, notFound } from '../../actions/problem-details.ts'
import { name, time, toTime } from '../../actions/schemas.ts'
import { openSessionTokenRows } from './rows.ts'
import {
  makeSessionKey,
  maxSessionLife,
  type SessionKeyUse,
  sessionKeyUses,
  signsAfter,
  usesOf,
} from './session-keys.ts'
import { readTokenId, type SessionKey } from './session-token.ts'

const tag = 'Session tokens'
const sessionKey = name(
  'SessionTokenKey',
  z.object({
    id: z.string(),
    publicKey: z.string().describe('For sessionTokenKeys of a node in the configuration of another gateway'),
    use: z
      .enum(sessionKeyUses)
      .describe('next: signs soon; signing; verifying: tokens of it are still accepted; ended: they are refused'),
    created: time,
    ends: time.nullable().describe('When its tokens are no longer accepted; null while no later key exists'),
  }),
)
const byId = z.object({ id: z.string() })
const clockOf = ({ now, store }: ActionParts) => Math.floor(now() + store.clockOffset)

export const actions = [
  action({
    operationId: 'listSessionTokenKeys',
    tag,
    summary: 'List the keys of session tokens, the newest first',
    method: 'GET',
    path: '/api/session-token-keys',
    access: 'viewer',
    answer: z.object({ items: z.array(sessionKey) }),
    async handle({ parts }) {
      const { keys } = await parts.rows(openSessionTokenRows).read()
      return { body: { items: [...usesOf(keys, clockOf(parts))].map(([key, use]) => describe(key, use)) } }
    },
  }),
  action({
    operationId: 'rotateSessionTokenKey',
    done: 'Rotated the session token key',
    tag,
    summary: 'Add a key, which signs from then on',
    description: 'The key before verifies until the last of its tokens has ended.',
    method: 'POST',
    path: '/api/session-token-keys',
    access: 'administrator',
    answer: sessionKey,
    status: 201,
    async handle({ parts, auditedRows }) {
      const { secretKey, sessionToken } = parts.settings
      const now = clockOf(parts)
      const key = makeSessionKey(secretKey, now)
      const times = { signs: now + signsAfter, lifetime: sessionToken.lifetime }
      await auditedRows({ subject: key.id }, openSessionTokenRows).rotateKey(key, times)
      return { body: describe({ ...key, signs: times.signs, ends: null }, 'next') }
    },
  }),
  action({
    operationId: 'revokeSessionTokenKey',
    done: 'Revoked a session token key',
    tag,
    summary: 'End a key, and with it all its tokens',
    description: 'If no other key signs, a new one does.',
    method: 'DELETE',
    path: '/api/session-token-keys/:id',
    access: 'administrator',
    params: byId,
    async handle({ parts, params: { id }, auditedRows }) {
      const replacement = makeSessionKey(parts.settings.secretKey, clockOf(parts))
      if (await auditedRows({ subject: id }, openSessionTokenRows).revokeKey(id, replacement)) return {}
      throw notFound(`session token key ${id} that has not ended`)
    },
  }),
  action({
    operationId: 'revokeSessionTokens',
    done: "Revoked an operator's session tokens",
    tag,
    summary: 'Revoke all session tokens of an operator; they are refused within a second',
    method: 'DELETE',
    path: '/api/operators/:id/session-tokens',
    access: 'operator',
    params: byId,
    async handle({ params: { id }, auditedRows }) {
      if (await auditedRows({ subject: id }, openSessionTokenRows).revokeOperator(id)) return {}
      throw notFound(`operator ${id}`)
    },
  }),
  action({
    operationId: 'revokeSessionToken',
    done: 'Revoked a session token',
    tag,
    summary: 'Revoke a session token; it is refused within a second',
    method: 'POST',
    path: '/api/session-token-revocations',
    access: 'operator',
    body: name(
      'SessionTokenRevocation',
      z.object({ token: z.string().max(4096).describe('The token, or its id, which the log has') }),
    ),
    example: { token: 'Rk3yV5s0qT1wZ8bN' },
    async handle({ parts, body, auditedRows }) {
      const id = readTokenId(body.token)
      if (id === undefined) throw new AdminProblem('invalid', 'The text is neither a session token nor the id of one.')
      const now = clockOf(parts)
      await auditedRows({ subject: id }, openSessionTokenRows).revokeToken({ id, expires: now + maxSessionLife }, now)
      return {}
    },
  }),
]

function describe({ id, publicKey, created, ends }: SessionKey, use: SessionKeyUse) {
  return {
    id,
    publicKey,
    use,
    created: toTime(created),
    ends: ends === null ? null : toTime(ends),
  }
}
