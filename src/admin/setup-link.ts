/** Where the one-time link of the first administrator goes: to a terminal, or to a file that only its owner reads (specification 18.5). */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Store } from '../store/store.ts'
import { inviteFirst, isTokenOf, linkOf } from './invitation.ts'

/** What prints: a file or a journal keeps what it is given, and others read it. */
export type Output = { readonly isTTY?: boolean }

export interface SetupLinkPlace {
  /** Of the project. */
  readonly folder: string
  readonly output: Output
}

export interface SetupLinkFacts extends SetupLinkPlace {
  readonly store: Pick<Store, 'administration'>
  /** Of administration. */
  readonly url: string
  readonly now: number
}

/** @returns the line to print; undefined where there are administrators */
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
  return `the link for the first administrator was handed out before, and is valid until ${until}; replace it with ig invite`
}

/** @returns the line to print */
export function handOver(link: string, { folder, output }: SetupLinkPlace): string {
  removeSetupLink(folder)
  return output.isTTY === true ? `make the first administrator, once, within a day: ${link}` : keep(link, folder)
}

/** Of the link that is in the file. */
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
    writeFileSync(file, `${link}\n`, { mode: 0o600, flag: 'wx' }) // never through a link, never into a file of others
    return `make the first administrator, once, within a day, by the link in ${file}`
  } catch (error) {
    return `the link for the first administrator cannot be written to ${file}: ${(error as Error).message}. Run ig invite on a terminal`
  }
}

function readToken(folder: string): string | undefined {
  try {
    return readFileSync(fileOf(folder), 'utf8').trim().split('#')[1]
  } catch {
    return undefined
  }
}
