/**
 * Hands out the one-time link of the first administrator, to a terminal or a file with mode 0600 (specification 18.5).
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Store } from '../store/store.ts'
import { inviteFirst, isTokenOf, linkOf } from './invitation.ts'

/** The output. Only terminals get the link, because files and journals are kept and read by others. */
export type Output = { readonly isTTY?: boolean }

export interface SetupLinkPlace {
  /** The project folder. */
  readonly folder: string
  readonly output: Output
}

export interface SetupLinkFacts extends SetupLinkPlace {
  readonly store: Pick<Store, 'administration'>
  /** The URL of administration. */
  readonly url: string
  readonly now: number
}

/** @returns the line to print; undefined if there are administrators */
export async function offerSetupLink({ store, url, now, ...place }: SetupLinkFacts): Promise<string | undefined> {
  const invited = await inviteFirst(store, url, now)
  if (!invited) {
    removeSetupLink(place.folder)
    return undefined
  }
  if (invited.link !== undefined) return handOver(invited.link, place)
  const token = readToken(place.folder)
  if (token !== undefined && isTokenOf(invited, token)) return keep(linkOf(url, token), place.folder)
  const until = new Date(invited.expires).toISOString()
  return `a link to create the first administrator exists and expires at ${until}. To replace it, run ig administrator invite`
}

/** @returns the line to print */
function handOver(link: string, { folder, output }: SetupLinkPlace): string {
  removeSetupLink(folder)
  return output.isTTY === true
    ? `create the first administrator with this link, which works once and expires in a day: ${link}`
    : keep(link, folder)
}

/** Removes the file with the link. */
export function removeSetupLink(folder: string): void {
  rmSync(fileOf(folder), { force: true })
}

function fileOf(folder: string): string {
  return resolve(folder, 'data/setup-link')
}

function keep(link: string, folder: string): string {
  const file = fileOf(folder)
  try {
    mkdirSync(dirname(file), { recursive: true })
    removeSetupLink(folder)
    writeFileSync(file, `${link}\n`, { mode: 0o600, flag: 'wx' }) // never follows a link, never writes into an existing file
    return `create the first administrator with the link in ${file}, which works once and expires in a day`
  } catch (error) {
    return `cannot write the link for the first administrator to ${file}: ${(error as Error).message}. Run ig administrator invite`
  }
}

function readToken(folder: string): string | undefined {
  try {
    return readFileSync(fileOf(folder), 'utf8').trim().split('#')[1]
  } catch {
    return undefined
  }
}
