/** The signature of a webhook: Standard Webhooks, symmetric (specification 35.4). */
import { createHmac } from 'node:crypto'

/** Signs with every secret, because receivers may have either one while a secret is replaced. */
export function signWebhook(id: string, seconds: number, body: string, secrets: readonly Buffer[]): string {
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`)
    .join(' ')
}
