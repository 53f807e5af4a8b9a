/** One attempt to send a webhook (specification 35.3 to 35.5). Redirects are not followed, and the answer is not read. */
import { createHmac } from 'node:crypto'
import { Agent, request } from 'undici'
import { type AddressKind, AddressRefused, type AddressRule, openAddressRule } from '../../base/refused-addresses.ts'
import type { Receiver, WebhookSettings } from './receivers.ts'
import type { Delivery } from './rows.ts'

/** Milliseconds for a whole attempt. */
const timeLimit = 5_000

export interface Sender {
  /** @returns undefined if the receiver accepted it, otherwise the reason, without its URL */
  send(delivery: Delivery, receiver: Receiver): Promise<string | undefined>
  close(): Promise<void>
}

export interface SenderOptions {
  readonly settings: Pick<WebhookSettings, 'secrets'>
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Tests pass their own. */
  readonly resolveName?: Parameters<typeof openAddressRule>[1]
}

/** Each receiver has its own, so that one that hangs takes no connection of another at the same origin. */
interface Client {
  readonly rule: AddressRule
  readonly agent: Agent
}

export function openSender({ settings, now, resolveName }: SenderOptions): Sender {
  const clients = new Map<string, Client>()
  const clientOf = ({ id, isPrivate }: Receiver): Client => {
    const known = clients.get(id)
    if (known) return known
    const rule = openAddressRule(isPrivate ? never : [...never, 'privateUse', 'loopback'], resolveName)
    const connect = { lookup: rule.lookup, timeout: timeLimit }
    const client = { rule, agent: new Agent({ connect, connections: 4, maxHeaderSize: 16 * 1024 }) }
    clients.set(id, client)
    return client
  }
  return {
    async send({ id, body }, receiver) {
      const { rule, agent } = clientOf(receiver)
      const seconds = Math.floor(now() / 1000)
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'integration-gateway',
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signWebhook(id, seconds, body, settings.secrets),
      }
      const signal = AbortSignal.timeout(timeLimit)
      try {
        rule.requireAllowed(receiver.url)
        const answer = await request(receiver.url, { method: 'POST', headers, body, dispatcher: agent, signal })
        answer.body.on('error', () => {}).destroy()
        return answer.statusCode >= 200 && answer.statusCode < 300 ? undefined : `status ${answer.statusCode}`
      } catch (error) {
        return signal.aborted ? `no answer within ${timeLimit / 1000} s` : describe(error, receiver)
      }
    },
    async close() {
      await Promise.all([...clients.values()].map(({ agent }) => agent.destroy()))
    },
  }
}

const never: readonly AddressKind[] = ['linkLocal', 'unspecified']

function describe(error: unknown, { isPrivate }: Pick<Receiver, 'isPrivate'>): string {
  const cause = (error as Error).cause ?? error
  if (error instanceof AddressRefused || cause instanceof AddressRefused)
    return isPrivate
      ? 'its address is refused: it is link-local or unspecified, which nothing allows'
      : 'its address is refused: ig.webhooks.origins can allow a private or loopback one'
  const { code } = cause as NodeJS.ErrnoException
  return code === undefined ? 'it could not be called' : `it could not be called (${code})`
}

/**
 * The signature of Standard Webhooks, symmetric (specification 35.4), with every secret, because receivers may have
 * either one while a secret is replaced.
 */
export function signWebhook(id: string, seconds: number, body: string, secrets: readonly Buffer[]): string {
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`)
    .join(' ')
}
