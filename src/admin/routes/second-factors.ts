/** Second factors of administrators (specification 34.20 to 34.25, 34.27). */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Caller } from '../../actions/action.ts'
import { AdminProblem, notFound } from '../../actions/problem-details.ts'
import { administratorName, name, time, toTime } from '../../actions/schemas.ts'
import { missingSecretKey } from '../../base/secret-key.ts'
import type { Factor } from '../../store/administration/factors-contract.ts'
import { verifyPassword } from '../../verification/password.ts'
import { type Input, route } from '../route.ts'
import { digestSecret } from '../secrets.ts'
import { hostOf, makeRegistration, readRegistration } from '../sign-in/passkeys.ts'
import { makeRecoveryCodes } from '../sign-in/recovery-codes.ts'
import { challengeLife, clockOf, verifySecondFactor, wrongProof } from '../sign-in/second-factor.ts'
import { findStep, makeTotp, sealTotp } from '../sign-in/totp.ts'
import { answerSession, makeSession, requirePasswords, requireSession, session } from './session.ts'

const tag = 'Session'
const path = '/api/session/second-factors'
const maxFactors = 10
const factor = name(
  'SecondFactor',
  z.object({
    id: z.string(),
    kind: z.enum(['totp', 'passkey']),
    name: z.string(),
    created: time,
    used: time.nullable().describe('When it was last used to sign in'),
  }),
)
const withPassword = name('OwnPassword', z.object({ password: z.string().max(2048).describe('Your own') }))
const added = name(
  'SecondFactorAdded',
  z.object({ recoveryCodes: z.array(z.string()).describe('Shown once, with the first factor') }),
)
const options = z.looseObject({ challenge: z.string() }).describe('For the browser: @simplewebauthn/browser')
const response = z.looseObject({ id: z.string() }).describe('What the browser returned')
const guarded = { isGuarded: true, problems: ['credentialsRejected', 'sessionRequired', 'conflict'] } as const

const pending = z.object({ id: z.string(), secret: z.string() })
const registering = z.object({ challenge: z.string() })

export const secondFactorRoutes = [
  route({
    operationId: 'completeSession',
    done: 'Signed in with a second factor',
    tag,
    summary: 'Sign in with a second factor, after the password',
    description: 'With the ticket of the problem secondFactorRequired, and a code or a passkey.',
    method: 'POST',
    path: '/api/session/second-factor',
    access: 'public',
    isGuarded: true,
    body: name(
      'SecondFactorProof',
      z.object({
        name: z.string().max(60),
        ticket: z.string().max(200),
        code: z.string().max(60).optional().describe('Of an authenticator app, or a recovery code'),
        passkey: response.optional(),
      }),
    ),
    example: { name: 'kim', ticket: 'that of the problem', code: '123456' },
    answer: session,
    status: 201,
    problems: ['secondFactorRejected', 'signInExpired', 'passwordsOff'],
    async handle({ body, url, parts, audited }) {
      requirePasswords(parts) // the ticket may be older than the setting
      const proof = await verifySecondFactor(body, parts, url)
      const { secret, ...made } = makeSession(parts.now())
      const { sessions, administrators } = parts.store.administration
      await sessions.removeExpired(made.created)
      const { factors } = audited({ actor: body.name, subject: body.name }).administration
      if (!(await factors.signIn({ ...made, administrator: body.name }, proof))) throw wrongProof()
      const found = await administrators.find(body.name)
      return answerSession({ name: body.name, role: found?.role ?? '' }, { secret, expires: made.expires })
    },
  }),
  route({
    operationId: 'getSecondFactors',
    tag,
    summary: 'Get your second factors',
    method: 'GET',
    path,
    access: 'viewer',
    isBeforeFactor: true,
    answer: name(
      'SecondFactors',
      z.object({
        items: z.array(factor),
        recoveryCodes: z.int().describe('Those that are left'),
        isRequired: z.boolean(),
        mayAddPasskey: z.boolean().describe('Passkeys need a host name instead of an address'),
      }),
    ),
    async handle({ caller, parts, url }) {
      const { factors } = parts.store.administration
      const items = (await factors.list(caller.name)).map(describe)
      const isRequired = parts.settings.admin?.secondFactor === 'required'
      const recoveryCodes = await factors.countCodes(caller.name)
      return { body: { items, recoveryCodes, isRequired, mayAddPasskey: hostOf(new URL(url)) !== undefined } }
    },
  }),
  route({
    operationId: 'beginTotp',
    tag,
    summary: 'Begin to add an authenticator app',
    method: 'POST',
    path: `${path}/totp`,
    access: 'viewer',
    isBeforeFactor: true,
    ...guarded,
    body: withPassword,
    answer: name('NewTotp', z.object({ secret: z.string(), uri: z.string().describe('For the QR code') })),
    async handle(input) {
      await requireOwn(input)
      const { secretKey } = input.parts.settings
      if (!secretKey) throw new AdminProblem('conflict', `ig.secretKey ${missingSecretKey}.`)
      const [made, id] = [await makeTotp(input.caller.name), randomUUID()]
      await ask(input, 'totp', { id, secret: sealTotp(secretKey, id, made.secret) })
      return { body: made }
    },
  }),
  route({
    operationId: 'addTotp',
    done: 'Added an authenticator app',
    tag,
    summary: 'Add the authenticator app with a code of it; ends all your other sessions',
    method: 'POST',
    path: `${path}/totp/confirmation`,
    access: 'viewer',
    isBeforeFactor: true,
    isGuarded: true,
    body: name('TotpConfirmation', z.object({ name: administratorName, code: z.string().max(20) })),
    example: { name: 'phone', code: '123456' },
    answer: added,
    problems: ['secondFactorRejected', 'signInExpired', 'sessionRequired'],
    async handle(input) {
      const { body, parts } = input
      const { id, secret } = await findAsked(input, 'totp', pending)
      const code = body.code.replace(/\s/g, '')
      const counter = await findStep({ id, secret }, code, parts.settings.secretKey, clockOf(parts))
      if (counter === undefined) throw wrongProof()
      return add(input, { id, kind: 'totp', name: body.name, secret, counter })
    },
  }),
  route({
    operationId: 'beginPasskey',
    tag,
    summary: 'Begin to add a passkey',
    method: 'POST',
    path: `${path}/passkey`,
    access: 'viewer',
    isBeforeFactor: true,
    ...guarded,
    body: withPassword,
    answer: name('NewPasskey', z.object({ options })),
    async handle(input) {
      const host = hostOf(new URL(input.url))
      if (host === undefined)
        throw new AdminProblem('conflict', 'Passkeys need a host name: on this machine, open localhost instead.')
      await requireOwn(input)
      const { caller, parts } = input
      const own = await parts.store.administration.factors.list(caller.name)
      const made = await makeRegistration(caller.name, own, host)
      await ask(input, 'passkey', { challenge: made.challenge })
      return { body: { options: { ...made } } }
    },
  }),
  route({
    operationId: 'addPasskey',
    done: 'Added a passkey',
    tag,
    summary: 'Add the passkey that the browser made; ends all your other sessions',
    method: 'POST',
    path: `${path}/passkey/confirmation`,
    access: 'viewer',
    isBeforeFactor: true,
    isGuarded: true,
    body: name('PasskeyConfirmation', z.object({ name: administratorName, response })),
    answer: added,
    problems: ['secondFactorRejected', 'signInExpired', 'sessionRequired'],
    async handle(input) {
      const { body, url } = input
      const { challenge } = await findAsked(input, 'passkey', registering)
      const made = await readRegistration(body.response, challenge, new URL(url))
      if (!made) throw wrongProof()
      return add(input, { id: randomUUID(), kind: 'passkey', name: body.name, ...made })
    },
  }),
  route({
    operationId: 'removeSecondFactor',
    done: 'Removed a second factor',
    tag,
    summary: 'Remove one of your second factors; ends all your other sessions',
    method: 'POST',
    path: `${path}/:id/removal`,
    access: 'viewer',
    ...guarded,
    params: z.object({ id: z.string() }),
    body: withPassword,
    async handle(input) {
      const { digest } = requireSession(input.caller)
      await requireOwn(input)
      const { caller, params, parts, audited } = input
      const found = (await parts.store.administration.factors.list(caller.name)).find(({ id }) => id === params.id)
      if (!found) throw notFound('second factor of yours with this id')
      const { kind, name } = found
      const { factors } = audited({ subject: caller.name, before: { kind, name } }).administration
      if (!(await factors.remove(caller.name, params.id, digest))) throw notFound('second factor of yours with this id')
      return {}
    },
  }),
  route({
    operationId: 'replaceRecoveryCodes',
    done: 'Replaced their recovery codes',
    tag,
    summary: 'Replace your recovery codes',
    method: 'POST',
    path: '/api/session/recovery-codes',
    access: 'viewer',
    ...guarded,
    body: withPassword,
    answer: added,
    async handle(input) {
      await requireOwn(input)
      const { caller, audited } = input
      const { codes, digests } = makeRecoveryCodes(caller.name)
      const { factors } = audited({ subject: caller.name }).administration
      if (await factors.replaceCodes(caller.name, digests)) return { body: { recoveryCodes: codes } }
      throw new AdminProblem('conflict', 'Add an authenticator app or a passkey first.')
    },
  }),
]

type FactorInput = Pick<Input<unknown, unknown, unknown>, 'caller' | 'parts' | 'audited' | 'inTurn'>

/** A stolen session cannot add or remove a factor. @throws AdminProblem */
async function requireOwn({ caller, parts, inTurn, body }: FactorInput & { body: { password: string } }) {
  requireSession(caller)
  if (caller.signsInWith === 'provider')
    throw new AdminProblem('conflict', 'You sign in with the identity provider, which asks for second factors.')
  const administrator = await parts.store.administration.administrators.find(caller.name)
  if (!administrator || !(await inTurn(() => verifyPassword(administrator.passwordHash, body.password))))
    throw new AdminProblem('credentialsRejected', 'The password is wrong.')
}

/** One at a time of each kind in a session, which it is bound to. */
function challengeOf(caller: Caller, kind: Factor['kind']): string {
  return digestSecret(`${requireSession(caller).digest} ${kind}`)
}

async function ask({ caller, parts }: FactorInput, kind: Factor['kind'], content: object): Promise<void> {
  const { factors } = parts.store.administration
  if ((await factors.list(caller.name)).length >= maxFactors)
    throw new AdminProblem('conflict', `There are ${maxFactors} second factors. Remove one first.`)
  const now = Math.floor(parts.now())
  const challenge = { digest: challengeOf(caller, kind), administrator: caller.name, content: JSON.stringify(content) }
  await factors.ask({ ...challenge, expires: now + challengeLife }, now)
}

async function findAsked<T>({ caller, parts }: FactorInput, kind: Factor['kind'], schema: z.ZodType<T>): Promise<T> {
  const digest = challengeOf(caller, kind)
  const found = await parts.store.administration.factors.findChallenge(digest, Math.floor(parts.now()))
  if (!found) throw new AdminProblem('signInExpired', 'Begin again.')
  return schema.parse(JSON.parse(found.content))
}

async function add({ caller, parts, audited }: FactorInput, made: Omit<Factor, 'administrator' | 'created' | 'used'>) {
  const { codes, digests } = makeRecoveryCodes(caller.name)
  const after = { kind: made.kind, name: made.name }
  const { factors } = audited({ subject: caller.name, after }).administration
  const row = { ...made, administrator: caller.name, created: Math.floor(parts.now()), used: undefined }
  const by = { challenge: challengeOf(caller, made.kind), session: requireSession(caller).digest, codes: digests }
  const isAdded = await factors.add(row, by)
  if (!isAdded) throw new AdminProblem('signInExpired', 'Begin again.')
  return { body: { recoveryCodes: isAdded.isFirst ? codes : [] } }
}

function describe({ id, kind, name, created, used }: Factor) {
  return { id, kind, name, created: toTime(created), used: used === undefined ? null : toTime(used) }
}
