/** A connection that ends in the middle of a change: the audit of the gateway has the change, if it was made (specification 31.10). */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Action } from '../actions/action.ts'
import type { RemoteAdministration } from '../terminal/administration.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { show } from '../terminal/print.ts'

type Administration = Pick<RemoteAdministration, 'ask' | 'option'>

const entry = z.object({ sequence: z.int(), time: z.string(), actor: z.string(), subject: z.string() })
const page = z.object({ items: z.array(entry) })
const session = z.object({ name: z.string() })

/** The sequence of the last entry; undefined if it is no audit. */
export async function readLastEntry({ ask }: Administration): Promise<number | undefined> {
  const { data } = page.safeParse((await ask('GET', 'api/audit?limit=1&isShort=true')).body)
  return data && (data.items[0]?.sequence ?? 0)
}

/** A change that may have been made. */
export class LostChange extends Failure {}

/** Milliseconds between two questions: the gateway may still be making the change. */
const pollInterval = 500
const maxPolls = 10

export interface SentChange {
  /** The last entry before it was sent. */
  readonly before: number
  /** What its entry is about; undefined if only the gateway knows. */
  readonly subject: string | undefined
}

export async function explainLoss(
  { message }: Error,
  { operationId }: Action,
  { before, subject }: SentChange,
  { ask, option }: Administration,
): Promise<LostChange> {
  const read = async (path: string) => (await ask('GET', path).catch(() => undefined))?.body
  const later = `ig audit list --action ${operationId}${option}`
  const { data: self } = session.safeParse(await read('api/session'))
  for (let polls = 1; self; polls += 1) {
    const query = new URLSearchParams({ limit: '500', isShort: 'true', actor: self.name, action: operationId })
    const { data } = page.safeParse(await read(`api/audit?${query}&after=${before}`))
    if (!data) break
    const found = data.items.find((each) => subject === undefined || isAbout(each.subject, subject))
    if (found) {
      const entry = `the audit has ${operationId} of ${show(found.subject)} by ${show(found.actor)} at ${found.time}.`
      return new LostChange(
        subject === undefined
          ? `${message} It may have been done: ${entry} See whether it is this change, and stays: ig revision list${option}`
          : `${message} It was done: ${entry}`,
      )
    }
    if (polls === maxPolls)
      return new LostChange(
        `${message} It was not done so far: the audit has no ${operationId} since it was sent. See again: ${later}`,
      )
    await sleep(pollInterval)
  }
  return new LostChange(`${message} Whether it was done is unknown. See later: ${later}`)
}

/** The subject is the name of what was changed, or begins with it: `ECHO_GET.v1 /echo/x`, `LIMIT: KIM`. */
function isAbout(stated: string, name: string): boolean {
  return stated === name || stated.startsWith(`${name} `) || stated.startsWith(`${name}: `)
}
