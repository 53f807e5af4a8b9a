/** Asks for a second factor after the password, and verifies the answer (specification 34.20 to 34.23). */
import { z } from 'zod'
import { AdminProblem } from '../../actions/problem-details.ts'
import type { Administrator } from '../../store/administration/contract.ts'
import type { Factor, Proof } from '../../store/administration/factors-contract.ts'
import type { AdminParts } from '../parts.ts'
import { digestSecret, makeSecret } from '../secrets.ts'
import { hostOf, makeAssertion, provePasskey } from './passkeys.ts'
import { digestRecoveryCode } from './recovery-codes.ts'
import { isReadable, proveTotp } from './totp.ts'

/** Milliseconds to answer. */
export const challengeLife = 5 * 60_000

const asked = z.object({ version: z.number(), challenge: z.string().optional() })

/** @returns the refusal of the password alone */
export async function askSecondFactor(
  { name, version }: Pick<Administrator, 'name' | 'version'>,
  factors: readonly Factor[],
  parts: AdminParts,
  url: string,
): Promise<AdminProblem> {
  const ticket = makeSecret()
  const now = Math.floor(parts.now())
  const passkey = await makeAssertion(factors, hostOf(new URL(url)))
  const content = JSON.stringify({ version, challenge: passkey?.challenge } satisfies z.input<typeof asked>)
  const challenge = { digest: digestSecret(ticket), administrator: name, content, expires: now + challengeLife }
  await parts.store.administration.factors.ask(challenge, now)
  const hasTotp = factors.some(({ kind }) => kind === 'totp')
  return new AdminProblem('secondFactorRequired', 'Send the ticket with a code or a passkey within 5 minutes.', {
    secondFactor: { ticket, totp: hasTotp, ...(passkey && { passkey }) },
  })
}

interface SecondFactorAnswer {
  readonly name: string
  readonly ticket: string
  readonly code?: string | undefined
  readonly passkey?: unknown
}

/** @throws AdminProblem if the ticket is none of this person, or the proof is wrong */
export async function verifySecondFactor(
  given: SecondFactorAnswer,
  parts: AdminParts,
  url: string,
): Promise<{ readonly challenge: string; readonly version: number; readonly proof: Proof }> {
  const { store, settings, now } = parts
  const { factors } = store.administration
  const challenge = await factors.findChallenge(digestSecret(given.ticket), Math.floor(now()))
  const { data } = asked.safeParse(challenge && JSON.parse(challenge.content))
  if (!challenge || !data || challenge.administrator !== given.name)
    throw new AdminProblem('signInExpired', 'Sign in again with your password.')
  const own = await factors.list(given.name)
  const digits = given.code?.replace(/\s/g, '') ?? ''
  const isTotp = /^\d{6}$/.test(digits)
  if (isTotp && (await factors.countCode(given.name, data.version, Math.floor(now()))) > maxCodes) throw tooManyCodes()
  const proof = isTotp
    ? await proveTotp(own, digits, settings.secretKey, clockOf(parts))
    : given.code === undefined
      ? await provePasskey(own, given.passkey, data.challenge ?? '', new URL(url))
      : proveRecoveryCode(given.name, given.code)
  if (!proof)
    throw wrongProof(
      own.every((each) => each.kind !== 'totp' || isReadable(each, settings.secretKey)) ? undefined : lostKey,
    )
  return { challenge: challenge.digest, version: data.version, proof }
}

const lostKey = 'an authenticator app of this person is encrypted with another ig.secretKey'

/** @param reason for the log */
export function wrongProof(reason?: string): AdminProblem {
  const detail = 'A code works once, and an authenticator code for about a minute.'
  return new AdminProblem('secondFactorRejected', detail, reason === undefined ? {} : { reason })
}

/** That of the database: a code is right in all processes, or in none. */
export function clockOf({ now, store }: Pick<AdminParts, 'now' | 'store'>): number {
  return now() + store.clockOffset
}

/** The delays of wrong passwords alone would allow a guesser of one network hundreds of thousands a day. */
const maxCodes = 20

function tooManyCodes(): AdminProblem {
  const detail = 'There were too many wrong codes. Use a passkey or a recovery code, or wait for a day.'
  return new AdminProblem('secondFactorRejected', detail, { reason: 'too many codes of authenticator apps' })
}

function proveRecoveryCode(name: string, typed: string): Proof | undefined {
  const code = digestRecoveryCode(name, typed)
  return code === undefined ? undefined : { code }
}
