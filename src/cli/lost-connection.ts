/** A connection that ends in the middle of a change: the audit of the gateway has the change, if it was made (specification 31.10). */
import { z } from 'zod'
import type { Action } from '../actions/action.ts'
import type { RemoteAdministration } from '../terminal/administration.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { show } from '../terminal/print.ts'

type Administration = Pick<RemoteAdministration, 'ask'>

const entry = z.object({ sequence: z.int(), time: z.string(), actor: z.string(), subject: z.string() })
const page = z.object({ items: z.array(entry) })

/** The sequence of the last entry; undefined if it is no audit. */
export async function readLastEntry({ ask }: Administration): Promise<number | undefined> {
  const { data } = page.safeParse((await ask('GET', 'api/audit?limit=1&isShort=true')).body)
  return data && (data.items[0]?.sequence ?? 0)
}

/** @param before the last entry before the change was sent */
export async function explainLoss(
  { message }: Error,
  { operationId }: Action,
  before: number,
  { ask }: Administration,
): Promise<Failure> {
  const target = `api/audit?limit=1&isShort=true&action=${operationId}&after=${before}`
  const { data } = page.safeParse((await ask('GET', target).catch(() => undefined))?.body)
  if (!data)
    return new Failure(
      `${message} Whether it was done is unknown: ig audit list --action ${operationId} says so later.`,
    )
  const [found] = data.items
  if (!found) return new Failure(`${message} It was not done: the audit has no ${operationId} since it was sent.`)
  const { subject, actor, time } = found
  return new Failure(
    `${message} It was done: the audit has ${operationId} of ${show(subject)} by ${show(actor)} at ${time}.`,
  )
}
