/** The body of a webhook: name and time of the event, ids and counts (specification 35.4). */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { events } from '../../features.ts'
import type { EventRow } from '../../model/event.ts'
import type { Event } from '../../model/observation.ts'
import { listReceivers, type WebhookSettings } from './receivers.ts'
import type { NewDelivery } from './rows.ts'

export interface SentEvent {
  readonly name: string
  readonly detail?: Event['detail']
}

/** One delivery for each receiver, all with the same id. */
export function writeDeliveries(
  { name, detail }: SentEvent,
  receivers: readonly string[],
  { process, now }: { readonly process: string; readonly now: number },
): readonly NewDelivery[] {
  const id = `evt_${randomUUID()}`
  const data = { ...selectData(name, detail), process }
  const body = JSON.stringify({ type: name, timestamp: new Date(now).toISOString(), data })
  return receivers.map((receiver) => ({ id, receiver, name, body }))
}

/** @param settings with at least one receiver */
export function writeTest(settings: WebhookSettings, now: number): readonly [NewDelivery, ...NewDelivery[]] {
  const ids = listReceivers(settings).map(({ id }) => id)
  return writeDeliveries({ name: 'webhookTest' }, ids, { process: describeProcess(), now }) as [NewDelivery]
}

export function describeProcess(worker?: number): string {
  return `${hostname()} ${process.pid}${worker === undefined ? '' : ` worker ${worker}`}`
}

export function isEvent(name: string): boolean {
  return Object.hasOwn(events, name)
}

/** Keeps the members of a detail that the row of the event names. */
export function selectData(name: string, detail: SentEvent['detail'] = {}): Readonly<Record<string, string | number>> {
  const { data = [] }: Partial<EventRow> = events[name] ?? {}
  const entries = data.flatMap((field) => {
    const value = detail[field]
    return typeof value === 'string' || typeof value === 'number' ? [[field, value] as const] : []
  })
  return Object.fromEntries(entries)
}
