/** The feature in a process: the one that serves administration adds up what all processes of its instance count. */

import type { FeatureContext, OpenFeature } from '../../feature.ts'
import type { Gateway } from '../../gateway.ts'
import { seriesOf } from '../../observe/metrics/report.ts'
import { warn } from '../../terminal/print.ts'
import { openAlertRows } from './alert-rows.ts'
import { readBuildInfo } from './build-info.ts'
import { type CollectedMetrics, openCollected } from './collect.ts'
import { openHeartbeat } from './heartbeat.ts'
import type { Heartbeat } from './list-instances.ts'
import { findListener, openMetricsListener, type Scrape } from './metrics-listener.ts'
import { type Objectives, objectivesOf, writeObjectives } from './objectives.ts'
import { openMetricRows } from './rows.ts'
import { watchAlerts } from './watch-alerts.ts'
import { chooseFormat, contentTypes, writeMetrics } from './write-metrics.ts'

export interface OpenMetrics extends OpenFeature {
  readonly scrape: Scrape
  /** Undefined until the gateway is open. */
  readonly heartbeat: Heartbeat | undefined
}

export function isOpenMetrics(opened: object): opened is OpenMetrics {
  return 'scrape' in opened
}

export function open(context: FeatureContext): OpenFeature | undefined {
  const { settings, administers } = context
  if (!settings.metrics.isOn) return undefined
  return administers ? openSums(context) : { report() {} }
}

function openSums({ settings, worker, workers, isDevelopment, reportCounts }: FeatureContext): OpenMetrics {
  const closing = new AsyncDisposableStack()
  let gateway: Gateway | undefined
  let heartbeat: Heartbeat | undefined
  let url: string | undefined
  const now = () => (gateway?.now() ?? Date.now()) + (gateway?.store.clockOffset ?? 0)
  const objectives = (): Objectives => (gateway ? objectivesOf(gateway.catalog.configuration) : new Map())
  const hasObjective = (operation: string) => objectives().has(operation)
  const collected = openCollected({ maxOperations: settings.metrics.operations, now, hasObjective })
  const build = seriesOf('ig_build_info', { ...readBuildInfo() })
  const scrape: Scrape = (accept) => {
    reportCounts()
    const format = chooseFormat(accept)
    const instance = {
      [build]: 1,
      ig_workers: countWorkers(collected),
      ig_workers_configured: workers,
      ...writeObjectives(objectives(), collected.total),
    }
    return { type: contentTypes[format], text: writeMetrics(collected.total, instance, format) }
  }
  const listen = async ({ observe }: Gateway) => {
    // Under ig dev connections of scrapers would stay open while code is replaced
    const place = isDevelopment ? undefined : findListener(settings)
    if (!place) return
    try {
      const listener = await openMetricsListener({ ...place, scrape, sharesPort: worker !== undefined })
      closing.defer(listener.close)
      url = listener.url
    } catch (error) {
      const message = place.explain(error) // calls are served all the same
      warn(message)
      observe({ kind: 'event', level: 'error', name: place.missing, message })
    }
  }
  return {
    scrape,
    get heartbeat() {
      return heartbeat
    },
    report(message) {
      if (message.kind === 'report') collected.add(message.report)
      else if (message.kind === 'earlier') collected.addEarlier(message.reports)
      else collected.total.forget(message.worker)
    },
    async begin(opened, urlOfCalls) {
      gateway = opened
      await listen(opened)
      const { store, observe } = opened
      const rows = openMetricRows(store.databases)
      const beating = openHeartbeat({
        store,
        rows,
        collected,
        facts: { url: urlOfCalls, version: settings.toolsRelease },
        revision: () => opened.catalog.revision,
        now: opened.now,
        observe,
      })
      heartbeat = beating
      closing.defer(
        watchAlerts({
          heartbeat: beating,
          rows,
          stored: openAlertRows(store.databases),
          thresholds: settings.metrics.alerts,
          objectives,
          observe,
        }),
      )
      closing.defer(() => {
        reportCounts() // the last second
        return beating.close()
      })
    },
    listens: () => url && `metrics at ${url}`,
    close: () => closing.disposeAsync(),
  }
}

/** The listeners for calls. */
function countWorkers({ total }: CollectedMetrics): number {
  return [...total.gauges.values()].filter((gauges) => gauges.ig_connections !== undefined).length
}
