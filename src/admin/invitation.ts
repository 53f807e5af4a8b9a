/** The one-time link to create the first administrator; there is no default password (specification 18.5). */
import { AdminProblem } from '../actions/problem-details.ts'
import type { Store } from '../store/store.ts'
import { digestSecret, makeSecret } from './secrets.ts'

export const invitationHours = 24

/** The valid link in the store. */
interface ValidInvitation {
  readonly digest: string
  /** Epoch milliseconds. */
  readonly expires: number
  /** Undefined if the link was created earlier, because the store has only its digest. */
  readonly link: string | undefined
}

type Administration = Pick<Store, 'administration'>

/** @returns undefined if there are administrators */
export async function inviteFirst(
  { administration }: Administration,
  url: string,
  now: number,
): Promise<ValidInvitation | undefined> {
  const { token, ...made } = makeInvitation(now)
  const current = await administration.invitations.ensure(made, Math.floor(now))
  return current && { ...current, link: current.digest === made.digest ? linkOf(url, token) : undefined }
}

/** Replaces the valid link. @throws AdminProblem if there are administrators */
export async function invite({ administration }: Administration, url: string, now: number): Promise<string> {
  const { token, ...made } = makeInvitation(now)
  if (await administration.invitations.replace(made)) return linkOf(url, token)
  throw new AdminProblem('conflict', `Administrators exist already. They add others in the console: ${url}`)
}

/** The token is after the #, which keeps it out of logs and `Referer`. */
export function linkOf(url: string, token: string): string {
  return `${url}/setup#${token}`
}

export function isTokenOf({ digest }: Pick<ValidInvitation, 'digest'>, token: string): boolean {
  return digestSecret(token) === digest
}

function makeInvitation(now: number) {
  const token = makeSecret()
  return { token, digest: digestSecret(token), expires: Math.floor(now) + invitationHours * 3_600_000 }
}
