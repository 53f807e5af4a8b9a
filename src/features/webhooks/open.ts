/** The feature in a process: most gateways have no receivers, and load nothing more. */
import type { FeatureContext, OpenFeature } from '../../feature.ts'
import { seriesOf } from '../../observe/metrics/report.ts'
import { readReceivers } from './receivers.ts'
import { openWebhookRows } from './rows.ts'

export async function open({ settings: { webhooks }, worker }: FeatureContext): Promise<OpenFeature | undefined> {
  const settings = readReceivers(webhooks)
  if (!settings) return undefined
  const { openWebhooks } = await import('./open-webhooks.ts')
  const { observe, counts, follow, close } = openWebhooks({ settings, worker, now: Date.now })
  return {
    observe,
    counts: () =>
      Object.fromEntries(
        Object.entries(counts).map(([fate, count]) => [seriesOf('ig_webhooks_total', { fate }), count]),
      ),
    begin: (gateway) => follow(openWebhookRows(gateway.store.databases), gateway.observe),
    close,
  }
}
