/** The one-time link by which the first administrator is made; no password is ever given out (specification 18.5). */
import type { Store } from '../store/store.ts'
import { digestSecret, makeSecret } from './secrets.ts'

export const invitationHours = 24

/** Behind the #, so that it gets into no log and no Referer. @returns undefined where there are administrators already */
export async function inviteFirst(
  { administration }: Pick<Store, 'administration'>,
  url: string,
  now: number,
): Promise<string | undefined> {
  if ((await administration.administrators.list()).length > 0) return undefined
  return invite({ administration }, url, now)
}

export async function invite(
  { administration }: Pick<Store, 'administration'>,
  url: string,
  now: number,
): Promise<string> {
  const secret = makeSecret()
  await administration.invitations.add({
    digest: digestSecret(secret),
    expires: Math.floor(now) + invitationHours * 3_600_000,
  })
  return `${url}/setup#${secret}`
}
