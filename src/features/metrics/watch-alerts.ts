/**
 * Every instance with administration looks for alerts and stores what it finds: an alert that any of them finds is active,
 * and the one that stores its begin or end first reports it (specification 43.8).
 */
import { pollEvery } from '../../base/poll-every.ts'
import { loadContributions } from '../../feature.ts'
import type { AlertRows } from '../../model/alert.ts'
import type { Observe } from '../../model/observation.ts'
import { type AlertStore, keyOf, type StoredAlert } from './alert-rows.ts'
import { type AlertFacts, type FoundAlert, findAlerts, type Thresholds } from './find-alerts.ts'
import { findBurning } from './find-burning.ts'
import { lastMinute } from './history-view.ts'
import type { Heartbeat } from './list-instances.ts'
import type { Objectives } from './objectives.ts'
import { drawOverview } from './overview.ts'
import type { MetricRows } from './rows.ts'
import { stepLength } from './steps.ts'

export interface AlertWatchOptions {
  readonly heartbeat: Heartbeat
  readonly rows: MetricRows
  readonly stored: AlertStore
  readonly thresholds: Thresholds
  readonly objectives: () => Objectives
  readonly observe: Observe
}

/** Minutes that alerts look back for instances. */
const minutes = 3

/** @returns stops it */
export function watchAlerts(options: AlertWatchOptions): () => Promise<void> {
  const { heartbeat, rows, stored, thresholds, objectives, observe } = options
  let burning: { readonly latest: number; readonly alerts: readonly FoundAlert[] } | undefined
  const look = async () => {
    const facts = await readFacts(heartbeat, rows)
    if (!facts) return
    const table = await loadAlerts()
    const latest = lastMinute(facts.now)
    if (burning?.latest !== latest) burning = { latest, alerts: await findBurning(rows, objectives(), latest) }
    const found = [...findAlerts(facts, thresholds, table), ...burning.alerts]
    const { begun, ended } = await stored.follow(found, facts.now)
    if (begun.length + ended.length === 0) return
    const silent = new Set((await stored.silences(facts.now)).map(keyOf))
    const report = (alert: StoredAlert, name: string, level: 'warning' | 'information', says: string) => {
      const { name: alertName, subject, detail } = alert
      const message = `${table[alertName]?.title ?? alertName}${says}: ${subject}, ${detail}.`
      if (!silent.has(keyOf(alert)))
        observe({ kind: 'event', level, name, message, detail: { alert: alertName, subject } })
    }
    for (const alert of begun) report(alert, 'alertBegan', 'warning', '')
    for (const alert of ended) report(alert, 'alertEnded', 'information', ' is over')
  }
  return pollEvery({
    every: stepLength,
    isImmediate: true,
    work: look,
    onFailure(error) {
      const message = 'Alerts cannot be stored; the gateway will retry.'
      observe({ kind: 'event', level: 'warning', name: 'alertsFailed', message, error })
    },
  })
}

/** Of all features. */
export async function loadAlerts(): Promise<AlertRows> {
  return Object.assign({}, ...(await loadContributions('alerts')))
}

/** @returns undefined during a store outage */
async function readFacts(heartbeat: Heartbeat, stored: MetricRows): Promise<AlertFacts | undefined> {
  const { isAlone, steps, instances } = await heartbeat.readAll()
  if (isAlone) return undefined
  const now = heartbeat.now()
  const latest = lastMinute(now)
  const rows = await stored.read('', [{ resolution: 60, from: latest - minutes * 60_000, to: latest }])
  return { operations: drawOverview(steps, { now, minutes: 5 }).operations, rows, instances, now }
}
