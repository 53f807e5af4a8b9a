/** The one-time link by which the first administrator is made; no password is ever given out (specification 18.5). */
import type { Store } from '../store/store.ts'
import { digestSecret, makeSecret } from './secrets.ts'

export const invitationHours = 24

/** The one that is valid, as the store has it. */
interface Invited {
  readonly digest: string
  /** Epoch milliseconds. */
  readonly expires: number
  /** Undefined where it was made before: the store has only its digest. */
  readonly link: string | undefined
}

type Administration = Pick<Store, 'administration'>

/** @returns undefined where there are administrators already */
export async function inviteFirst(
  { administration }: Administration,
  url: string,
  now: number,
): Promise<Invited | undefined> {
  if ((await administration.administrators.list()).length > 0) return undefined
  const { token, ...made } = makeInvitation(now)
  const current = await administration.invitations.ensure(made, Math.floor(now))
  return { ...current, link: current.digest === made.digest ? linkOf(url, token) : undefined }
}

/** In place of the one that is valid. */
export async function invite({ administration }: Administration, url: string, now: number): Promise<string> {
  const { token, ...made } = makeInvitation(now)
  await administration.invitations.replace(made)
  return linkOf(url, token)
}

/** Behind the #, so that it gets into no log and no Referer. */
export function linkOf(url: string, token: string): string {
  return `${url}/setup#${token}`
}

export function isTokenOf({ digest }: Pick<Invited, 'digest'>, token: string): boolean {
  return digestSecret(token) === digest
}

function makeInvitation(now: number) {
  const token = makeSecret()
  return { token, digest: digestSecret(token), expires: Math.floor(now) + invitationHours * 3_600_000 }
}
