/** The keys of session tokens, and what is revoked of the tokens (specification 27.14). */
import { z } from 'zod'
import { type ActionParts, action } from '../../actions/action.ts'
import { AdminProblem, notFound } from '../../actions/problem-details.ts'
import { name, time, toTime } from '../../actions/schemas.ts'
import { missingSecretKey } from '../../base/secret-key.ts'
import { requireSecretKey } from '../../store/secrets.ts'
import { openSessionTokenRows } from './rows.ts'
import {
  listKeySecrets,
  makeSessionKey,
  maxSessionLife,
  type SessionKeyUse,
  sessionKeyUses,
  signsAfter,
  usesOf,
} from './session-keys.ts'
import { readTokenId, type SessionKey } from './session-token.ts'
import { openSessionTokens } from './verifier.ts'

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
const byId = z.object({ id: z.string().describe('Operator id') })
const byKey = z.object({ id: z.string().describe('The id of the key, as listed by ig session-token list-keys') })
const clockOf = ({ now, store }: ActionParts) => Math.floor(now() + store.clockOffset)

export const actions = [
  action({
    operationId: 'listSessionTokenKeys',
    tag,
    summary: 'List the keys of session tokens, the newest first',
    method: 'GET',
    path: '/api/session-token-keys',
    access: 'viewer',
    commandLine: {
      verb: 'session-token list-keys',
      columns: { KEY: 'id', USE: 'use', 'PUBLIC KEY': 'publicKey', ENDS: 'ends' },
      empty: 'There are no keys yet. The first is created when an operation needs it, or by ig session-token rotate.',
    },
    answer: z.object({ items: z.array(sessionKey) }),
    async handle({ parts }) {
      const { keys } = await openSessionTokenRows(parts.store.databases).read()
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
    commandLine: {
      verb: 'session-token rotate',
      says: ({ id, publicKey }) =>
        `The key ${id} becomes active in ${signsAfter / 1000} seconds. Its public key, for other gateways: ${publicKey}`,
    },
    answer: sessionKey,
    status: 201,
    async handle({ parts, audited }) {
      await requireKeys(parts)
      const { secretKey, sessionToken } = parts.settings
      const now = clockOf(parts)
      const key = makeSessionKey(secretKey, now)
      const times = { signs: now + signsAfter, lifetime: sessionToken.lifetime }
      await openSessionTokenRows(audited({ subject: key.id }).databases).rotateKey(key, times)
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
    commandLine: {
      verb: 'session-token revoke-key',
      args: ['id'],
      asks: ({ id }) => `Revoke the key ${id} and all its tokens?`,
      says: (_, { id }) => `The key ${id} is revoked.`,
    },
    params: byKey,
    async handle({ parts, params: { id }, audited }) {
      await requireKeys(parts)
      const replacement = makeSessionKey(parts.settings.secretKey, clockOf(parts))
      if (await openSessionTokenRows(audited({ subject: id }).databases).revokeKey(id, replacement)) return {}
      const { keys } = await openSessionTokenRows(parts.store.databases).read()
      throw notFound(
        'session token key that has not ended:',
        id,
        keys.map((key) => key.id),
      )
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
    commandLine: {
      verb: 'session-token revoke',
      args: ['id'],
      asks: ({ id }) => `Revoke all session tokens of ${id}?`,
      says: (_, { id }) => `All session tokens of ${id} are revoked.`,
    },
    params: byId,
    async handle({ parts, params: { id }, audited }) {
      await requireOperator(id, parts)
      await openSessionTokenRows(audited({ subject: id }).databases).revokeOperator(id)
      return {}
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
    commandLine: {
      verb: 'session-token revoke-token',
      args: ['token'],
      inputs: { token: { reads: 'secret' } },
      says: () => 'The session token is revoked.',
    },
    body: name(
      'SessionTokenRevocation',
      z.object({ token: z.string().max(4096).describe('The token, or its id, which the log has') }),
    ),
    example: { token: 'Rk3yV5s0qT1wZ8bN' },
    async handle({ parts, body, audited }) {
      const id = readTokenId(body.token)
      if (id === undefined) throw new AdminProblem('invalid', 'The text is neither a session token nor the id of one.')
      const now = clockOf(parts)
      await openSessionTokenRows(audited({ subject: id }).databases).revokeToken(
        { id, expires: now + maxSessionLife },
        now,
      )
      return {}
    },
  }),
  action({
    operationId: 'createSessionToken',
    done: 'Created a session token for an operator',
    tag,
    summary: 'Create a session token for an operator',
    description: 'The token authenticates calls as this operator until it expires or is revoked.',
    method: 'POST',
    path: '/api/operators/:id/session-tokens',
    access: 'administrator',
    commandLine: { verb: 'session-token create', args: ['id'], says: ({ token }) => token },
    params: byId,
    answer: name('SessionToken', z.object({ token: z.string(), id: z.string(), expires: time })),
    status: 201,
    async handle({ parts, params: { id: operator }, audit }) {
      const { settings, store, now } = parts
      await requireOperator(operator, parts)
      await requireKeys(parts)
      const { nodes } = await parts.configuration()
      const node = nodes.find(({ isDefaultLocal }) => isDefaultLocal)?.name ?? ''
      const tokens = await openSessionTokens({ settings, store, observe() {}, now })
      const { token, id, expires } = await tokens.issue(operator, node)
      await audit({ subject: operator, after: { tokenId: id } })
      return { body: { token, id, expires: toTime(expires) } }
    },
  }),
]

async function requireOperator(id: string, { store }: ActionParts): Promise<void> {
  if (await store.operators.find(id)) return
  const all = await store.operators.list()
  throw notFound(
    'operator',
    id,
    all.map((each) => each.id),
  )
}

/** `ig` may have other settings than the gateway. @throws StoreUnavailable without the secret key of each key in the store, AdminProblem without any */
async function requireKeys({ store, settings }: ActionParts): Promise<void> {
  const secrets = await listKeySecrets(store.databases)
  requireSecretKey(
    settings,
    secrets.map(({ sealed }) => sealed),
  )
  if (!settings.secretKey) throw new AdminProblem('conflict', `ig.secretKey ${missingSecretKey}.`)
}

function describe({ id, publicKey, created, ends }: SessionKey, use: SessionKeyUse) {
  return {
    id,
    publicKey,
    use,
    created: toTime(created),
    ends: ends === null ? null : toTime(ends),
  }
}
