/**
 * Events that no other part reports: calls that were refused for their credentials, in a minute, and certificates that
 * end soon (specification 35.9, 35.10).
 */

import { openPerMinute } from '../base/per-minute.ts'
import { setInterval } from '../base/timers.ts'
import type { Observe } from '../model/observation.ts'
import { type RefusalCode, type RefusalRow, refusalTable } from '../model/refusal.ts'
import { readCertificateExpiry } from './metrics/certificate-expiry.ts'

export interface Alerts {
  /** An observer. */
  readonly observe: Observe
  close(): void
}

export interface AlertOptions {
  /** Receives the events. */
  readonly observe: Observe
  /** PEM files by their settings; only one process of an instance has them. */
  readonly certificates?: Readonly<Record<string, string>>
  /** Epoch milliseconds. */
  readonly now?: () => number
}

/** Days. */
const stages = [0, 1, 7, 30]
const day = 24 * 3_600_000
const pollInterval = 3_600_000

export function openAlerts({ observe, certificates = {}, now = Date.now }: AlertOptions): Alerts {
  const refused = openPerMinute((counts) => {
    const count = counts.get('') ?? 0
    const message =
      count === 1
        ? 'A call was refused for its credentials.'
        : `${count} calls were refused for their credentials in the last minute.`
    observe({ kind: 'event', level: 'warning', name: 'callersRefused', message, detail: { count } })
  })
  const reported = new Map<string, number>()
  const poll = () => {
    for (const [setting, file] of Object.entries(certificates)) {
      const ends = readCertificateExpiry(file)
      const left = ends === undefined ? Number.POSITIVE_INFINITY : (ends * 1000 - now()) / day
      const stage = stages.find((each) => left <= each)
      if (stage !== undefined && stage < (reported.get(setting) ?? Number.POSITIVE_INFINITY))
        observe(describe(setting, left))
      reported.set(setting, stage ?? Number.POSITIVE_INFINITY) // a renewed one is reported anew
    }
  }
  poll()
  const timer = setInterval(poll, pollInterval).unref()
  return {
    observe(observation) {
      if (observation.kind !== 'answered' || observation.trial !== undefined || !observation.refusal) return
      if (ofCredentials.has(observation.refusal.code)) refused.count()
    },
    close() {
      clearInterval(timer)
      refused.close()
    },
  }
}

/** Those whose standard status is 401. */
const ofCredentials: ReadonlySet<RefusalCode> = new Set(
  Object.entries<RefusalRow>(refusalTable).flatMap(([code, { standard }]) =>
    standard.status === 401 ? [code as RefusalCode] : [],
  ),
)

function describe(setting: string, left: number) {
  const days = Math.max(0, Math.ceil(left))
  const message =
    left <= 0
      ? `The certificate of ${setting} has ended. Clients refuse it.`
      : `The certificate of ${setting} ends in ${days === 1 ? 'a day' : `${days} days`}.`
  return { kind: 'event', level: 'warning', name: 'certificateEnds', message, detail: { setting, days } } as const
}
