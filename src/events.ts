/** Every event that receivers of webhooks can get, of the kernel and of the features (specification 35.1). */
import { together } from './features.ts'
import { type EventRow, type EventRows, kernelEvents } from './model/event.ts'

export const events: EventRows = { ...kernelEvents, ...together('events') }

export function isEvent(name: string): boolean {
  return Object.hasOwn(events, name)
}

/** Of a detail, what the row of the event names. */
export function selectData(
  name: string,
  detail: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, string | number>> {
  const { data = [] }: Partial<EventRow> = events[name] ?? {}
  const entries = data.flatMap((field) => {
    const value = detail[field]
    return typeof value === 'string' || typeof value === 'number' ? [[field, value] as const] : []
  })
  return Object.fromEntries(entries)
}
