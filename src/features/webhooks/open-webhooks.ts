/**
 * Webhooks of a process (specification 35): queues subscribed events, stores them as soon as the store answers, and sends
 * deliveries that are due. Every process sends the deliveries of the whole cluster; an attempt begins with an update of
 * its row, which succeeds in only one process.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Event, Observation, Observe } from '../../model/observation.ts'
import { listReceivers, type Receiver, type WebhookSettings } from './receivers.ts'
import type { Delivery, NewDelivery, WebhookStore } from './rows.ts'
import { openSender, type SenderOptions } from './send.ts'
import { describeProcess, isEvent, type SentEvent, writeDeliveries } from './write-deliveries.ts'

export interface Webhooks {
  /** An observer. */
  readonly observe: Observe
  /** By outcome of an attempt, and events that were lost, since the start. */
  readonly counts: Readonly<Record<'delivered' | 'failed' | 'givenUp' | 'lost', number>>
  /** Starts storing and sending. */
  follow(store: WebhookStore, observe: Observe): void
  /** Stores queued events and sends what is due, once. */
  poll(): Promise<void>
  close(): Promise<void>
}

export interface WebhookOptions extends Omit<SenderOptions, 'settings'> {
  readonly settings: WebhookSettings
  /** Number of this worker in its instance. */
  readonly worker?: number | undefined
  /** Milliseconds between two polls. */
  readonly every?: number
}

/** Milliseconds after which the next attempt is due. After the last one, the event is given up. */
export const delays = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000] as const
/** Maximum number of events that wait for the store. */
const maxQueued = 1_000
/** Concurrent attempts for each receiver, so that one that hangs does not delay the others. */
const maxAtOnce = 4
const pruneEvery = 3_600_000

export function openWebhooks({ settings, worker, every = 1000, ...options }: WebhookOptions): Webhooks {
  const receivers = listReceivers(settings)
  const sender = openSender({ settings, ...options })
  const counts = { delivered: 0, failed: 0, givenUp: 0, lost: 0 }
  const stopping = new AbortController()
  const process = describeProcess(worker)
  let queued: NewDelivery[] = []
  let lost = 0
  let store: WebhookStore | undefined
  let report: Observe = () => {}
  let following: Promise<void> | undefined
  /** Deliveries in progress, by receiver. */
  const sending = new Map<string, Promise<void>>()
  let pruned = performance.now()

  const lose = (count: number) => {
    lost += count
    counts.lost += count
  }
  const storeQueued = async (rows: WebhookStore) => {
    if (queued.length === 0) return
    const adding = queued
    queued = []
    try {
      lose(await rows.add(adding))
    } catch {
      const room = Math.max(0, maxQueued - queued.length) // the store reports its outage; the next poll retries
      queued = [...adding.slice(0, room), ...queued]
      lose(Math.max(0, adding.length - room))
      return
    }
    if (lost > 0) report(describeLost(lost))
    lost = 0
  }
  /** @returns whether the receiver accepted it */
  const attempt = async (rows: WebhookStore, delivery: Delivery, receiver: Receiver): Promise<boolean> => {
    const delay = delays[delivery.attempts]
    if (!(await rows.begin(delivery, delay ?? delays[0]))) return false
    const reason = await sender.send(delivery, receiver)
    if (reason === undefined) {
      await rows.end(delivery, 'delivered')
      counts.delivered += 1
      return true
    }
    counts.failed += 1
    if (delay !== undefined) await rows.note(delivery, reason)
    else {
      await rows.end(delivery, 'givenUp', reason)
      counts.givenUp += 1
      report(describeGivenUp(delivery, reason))
    }
    return false
  }
  /** Continues with the next batch as long as the receiver accepts deliveries. */
  const sendDue = async (rows: WebhookStore, receiver: Receiver) => {
    for (let hasMore = true; hasMore && !stopping.signal.aborted; ) {
      const due = await rows.due(receiver.id, maxAtOnce)
      const accepted = await Promise.all(due.map((delivery) => attempt(rows, delivery, receiver)))
      hasMore = due.length === maxAtOnce && accepted.includes(true)
    }
  }
  const sendTo = (rows: WebhookStore, receiver: Receiver) => {
    const { id } = receiver
    const sent = sending.get(id) ?? sendDue(rows, receiver).finally(() => sending.delete(id))
    sending.set(id, sent)
    return sent
  }
  const send = (rows: WebhookStore) => Promise.all(receivers.map((receiver) => sendTo(rows, receiver)))
  const prune = async (rows: WebhookStore) => {
    if (performance.now() - pruned < pruneEvery) return
    pruned = performance.now()
    await rows.prune()
  }
  // A store outage is reported by the store, and an attempt that was begun is due again later
  const ignore = () => {}
  return {
    counts,
    observe(observation) {
      const event = findWanted(observation, settings.events)
      if (!event) return
      if (queued.length + receivers.length > maxQueued) return lose(receivers.length)
      queued.push(
        ...writeDeliveries(
          event,
          receivers.map(({ id }) => id),
          { process, now: options.now() },
        ),
      )
    },
    follow(rows, observe) {
      store = rows
      report = observe
      following = (async () => {
        while (await sleep(every, true, { ref: false, signal: stopping.signal }).catch(() => false)) {
          await storeQueued(rows)
          send(rows).catch(ignore)
          await prune(rows).catch(ignore)
        }
      })()
    },
    async poll() {
      if (!store) return
      await storeQueued(store)
      await send(store).catch(ignore)
    },
    async close() {
      stopping.abort()
      await following
      await Promise.allSettled(sending.values())
      if (store) await storeQueued(store)
      await sender.close()
    },
  }
}

function findWanted(observation: Observation, events: WebhookSettings['events']): SentEvent | undefined {
  if (observation.kind !== 'event') return undefined
  const { name, detail } = observation
  return isEvent(name) && events?.has(name) !== false ? { name, ...(detail && { detail }) } : undefined
}

function describeLost(count: number): Event {
  const message = `${count} events were not stored for webhooks, because too many wait.`
  return { kind: 'event', level: 'error', name: 'webhooksLost', message, detail: { count } }
}

function describeGivenUp({ id, name, attempts }: Delivery, reason: string): Event {
  const message = `The webhook ${id} (${name}) is given up after ${attempts + 1} attempts: ${reason}.`
  return { kind: 'event', level: 'error', name: 'webhookGivenUp', message }
}
