/** The receivers of webhooks, as the settings name them (specification 35.2). */
import { hash } from 'node:crypto'
import type { Values } from '../../settings/row.ts'
import type { DeliveryRow } from './rows.ts'
import type { settings } from './settings.ts'

export type WebhookSettings = NonNullable<ReturnType<typeof readReceivers>>

export interface Receiver {
  /** Identifies the receiver in the store, because its URL may contain a secret. */
  readonly id: string
  readonly url: URL
  readonly isPrivate: boolean
}

export function listReceivers({ urls, origins = [] }: Pick<WebhookSettings, 'urls' | 'origins'>): readonly Receiver[] {
  return urls.map((text) => {
    const url = new URL(text)
    return { id: hash('sha256', text).slice(0, 16), url, isPrivate: origins.includes(url.origin) }
  })
}

/** @returns undefined if there are none */
export function readReceivers({ urls, secrets, ...others }: Values<typeof settings>) {
  return urls && secrets && { urls, secrets, ...others }
}

/** Maximum number of listed events. */
export const maxListed = 200

/** For people: a receiver by its origin, because its URL may contain a secret. */
export function describeDeliveries(rows: readonly DeliveryRow[], receivers: readonly Receiver[]) {
  const origins = new Map(receivers.map(({ id, url }) => [id, url.origin]))
  return rows.map(({ receiver, outcome, ...row }) => ({
    ...row,
    receiver: origins.get(receiver) ?? 'no longer configured',
    state: outcome ?? ('waiting' as const),
  }))
}
