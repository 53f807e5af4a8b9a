/** Sign-in, sign-out and the one-time link (specification 18.5 to 18.7, 18.9). */
import { z } from 'zod'
import type { Caller } from '../../actions/action.ts'
import { AdminProblem } from '../../actions/problem-details.ts'
import { toRole } from '../../actions/roles.ts'
import { administratorName, name, password, role, signsInWith, time, toTime } from '../../actions/schemas.ts'
import { hashPassword, verifyPassword } from '../../verification/password.ts'
import { sessionLife } from '../cookies.ts'
import type { AdminParts } from '../parts.ts'
import { requirePassword } from '../require-password.ts'
import { route } from '../route.ts'
import { csrfTokenOf, digestSecret, makeSecret } from '../secrets.ts'
import { askSecondFactor } from '../sign-in/second-factor.ts'

export const session = name(
  'Session',
  z.object({
    name: z.string(),
    role,
    via: z.string().describe('session, or token with its name'),
    signsInWith,
    lacksSecondFactor: z.boolean().optional().describe('The session may only add a second factor'),
    csrfToken: z
      .string()
      .optional()
      .describe('The value for x-csrf-token of every change; requests with API tokens need none'),
    expires: time.optional(),
  }),
)

const unknownHash = hashPassword(makeSecret())

export const sessionRoutes = [
  route({
    operationId: 'createSession',
    done: 'Signed in',
    tag: 'Session',
    summary: 'Sign in',
    method: 'POST',
    path: '/api/session',
    access: 'public',
    isGuarded: true,
    body: name('Credentials', z.object({ name: z.string().max(60), password: z.string().max(2048) })),
    example: { name: 'kim', password: 'a long sentence is a good one' },
    answer: session,
    status: 201,
    problems: ['credentialsRejected', 'passwordsOff', 'secondFactorRequired'],
    async handle({ body, url, parts, inTurn, audited }) {
      requirePasswords(parts)
      const administrator = await parts.store.administration.administrators.find(body.name)
      const hash = administrator?.passwordHash ?? (await unknownHash) // takes as long for an unknown name as for a wrong password
      const isRight = await inTurn(() => verifyPassword(hash, body.password))
      if (!administrator || !isRight || administrator.isLocked) throw rejected()
      const factors = await parts.store.administration.factors.list(administrator.name)
      if (factors.length > 0) throw await askSecondFactor(administrator, factors, parts, url)
      const { administration } = audited({ actor: administrator.name, subject: administrator.name })
      return openSession(administrator, parts, (made) => administration.sessions.add(made, administrator))
    },
  }),
  route({
    operationId: 'acceptInvitation',
    done: 'Became the first administrator',
    tag: 'Session',
    summary: 'Create the first administrator',
    description: 'Requires the token of the one-time link, which is after its #. Also signs in.',
    method: 'POST',
    path: '/api/invitation',
    access: 'public',
    isGuarded: true,
    body: name('Invitation', z.object({ token: z.string().max(200), name: administratorName, password })),
    example: { token: 'the part after the #', name: 'kim', password: 'a long sentence is a good one' },
    answer: session,
    status: 201,
    problems: ['invitationRejected'],
    async handle({ body, parts, inTurn, audited }) {
      requirePassword(body.password, body.name)
      const digest = digestSecret(body.token)
      const { invitations } = parts.store.administration
      const refused = new AdminProblem(
        'invitationRejected',
        'Run ig administrator invite to create a new one, unless there is an administrator.',
      )
      if (!(await invitations.isOpen(digest, parts.now()))) throw refused
      const passwordHash = await inTurn(() => hashPassword(body.password))
      const made = { name: body.name, role: 'administrator', passwordHash, created: Math.floor(parts.now()) }
      const after = { role: made.role }
      const { administration } = audited({ actor: body.name, subject: body.name, after })
      if (!(await administration.invitations.accept(digest, made))) throw refused
      parts.onFirstAdministrator?.()
      return openSession(made, parts, (opened) => parts.store.administration.sessions.add(opened, made))
    },
  }),
  route({
    operationId: 'getSession',
    tag: 'Session',
    summary: 'Get the current session and its CSRF token',
    method: 'GET',
    path: '/api/session',
    access: 'viewer',
    isBeforeFactor: true,
    answer: session,
    handle: async ({ caller }) => ({ body: describe(caller) }),
  }),
  route({
    operationId: 'deleteSession',
    done: 'Signed out',
    tag: 'Session',
    summary: 'Sign out',
    method: 'DELETE',
    path: '/api/session',
    access: 'viewer',
    isBeforeFactor: true,
    problems: ['sessionRequired'],
    async handle({ caller, audited }) {
      const { digest } = requireSession(caller)
      await audited({ subject: caller.name }).administration.sessions.remove(digest)
      return { session: null }
    },
  }),
  route({
    operationId: 'changeOwnPassword',
    done: 'Changed their own password',
    tag: 'Session',
    summary: 'Change your own password; ends all your other sessions',
    method: 'PUT',
    path: '/api/session/password',
    access: 'viewer',
    isGuarded: true,
    body: name(
      'PasswordChange',
      z.object({
        current: z.string().max(2048),
        password,
        endTokens: z.boolean().default(false).describe('Also revokes your API tokens'),
      }),
    ),
    problems: ['credentialsRejected', 'sessionRequired', 'conflict'],
    async handle({ body, caller, parts, inTurn, audited }) {
      const { digest } = requireSession(caller)
      requirePassword(body.password, caller.name)
      const administrator = await parts.store.administration.administrators.find(caller.name)
      if (!administrator || !(await inTurn(() => verifyPassword(administrator.passwordHash, body.current))))
        throw new AdminProblem('credentialsRejected', 'The current password is wrong.')
      const passwordHash = await inTurn(() => hashPassword(body.password))
      const after = { password: '***', ...(body.endTokens && { tokens: 'revoked' }) }
      const change = { subject: caller.name, before: { password: '***' }, after }
      const endTokens = body.endTokens ? Math.floor(parts.now()) : undefined
      const { administrators } = audited(change).administration
      const changed = { passwordHash, endTokens, onlySession: digest }
      if (await administrators.change(caller.name, changed, administrator.version)) return {}
      throw new AdminProblem('conflict', 'Someone else changed password, role or lock. Try again.')
    },
  }),
]

/** @throws AdminProblem for requests with an API token */
export function requireSession({ session }: Caller): NonNullable<Caller['session']> {
  if (session) return session
  throw new AdminProblem('sessionRequired', 'Sign in with name and password.')
}

/** @throws AdminProblem */
export function requirePasswords({ settings }: AdminParts): void {
  if (settings.admin?.passwords !== false) return
  throw new AdminProblem('passwordsOff', 'Passwords of administrators are off (ig.admin.passwords).')
}

function rejected(): AdminProblem {
  return new AdminProblem(
    'credentialsRejected',
    'For security, the response does not say which one, or whether the administrator is locked.',
  )
}

async function openSession(
  { name, role }: { readonly name: string; readonly role: string },
  { now, store, settings }: AdminParts,
  add: (session: {
    digest: string
    administrator: string
    created: number
    used: number
    expires: number
  }) => Promise<boolean>,
) {
  const { secret, ...made } = makeSession(now())
  await store.administration.sessions.removeExpired(made.created)
  const isAdded = await add({ ...made, administrator: name })
  if (!isAdded) throw rejected() // the password has changed since it was verified
  const { body, ...answer } = answerSession({ name, role }, { secret, expires: made.expires })
  const lacksSecondFactor = settings.admin?.secondFactor === 'required' // with one, the password is not enough
  return { ...answer, body: { ...body, ...(lacksSecondFactor && { lacksSecondFactor }) } }
}

/** Answers a person who signs in with a password. */
export function answerSession(
  { name, role }: { readonly name: string; readonly role: string },
  { secret, expires }: Pick<ReturnType<typeof makeSession>, 'secret' | 'expires'>,
) {
  const facts = { via: 'session', signsInWith: 'password' as const, csrfToken: csrfTokenOf(secret) }
  const body = { name, role: toRole(role), ...facts, expires: toTime(expires) }
  return { body, session: secret, location: '/api/session' }
}

export function makeSession(now: number) {
  const secret = makeSecret()
  const created = Math.floor(now)
  return { secret, digest: digestSecret(secret), created, used: created, expires: created + sessionLife }
}

function describe({ name, role, via, signsInWith, lacksSecondFactor, session }: Caller) {
  return {
    name,
    role,
    via,
    signsInWith,
    ...(lacksSecondFactor && { lacksSecondFactor }),
    ...(session && { csrfToken: session.csrfToken, expires: toTime(session.expires) }),
  }
}
