/** When the failures of an operation began: by minutes of the last hours, and steps of the last minutes. */
import { gatewayClock } from '../../../api/clock.ts'
import { type History, useMovingHistory } from '../api.ts'
import { type Begin, type CallStep, findBegin } from './find-begin.ts'

const minute = 60_000
/** Longer spans have steps of more than a minute. */
const span = 390 * minute

/** @param known when its alert began: failures of before these hours are looked for there */
export function useBegin(operation: string | undefined, known: string | undefined): Begin | undefined {
  const now = gatewayClock.now()
  const began = known === undefined ? now : Date.parse(known)
  const isLong = now - began > span / 2
  const stored = useMovingHistory(
    ['begin', operation, isLong && known],
    operation === undefined
      ? undefined
      : () => {
          const to = isLong ? began + minute : gatewayClock.now()
          const at = (time: number) => new Date(time).toISOString()
          return { from: at(to - span), to: at(to), sort: 'calls', operation }
        },
  )
  const live = useMovingHistory(
    ['begin', operation, 'live'],
    operation === undefined ? undefined : () => ({ minutes: 15, sort: 'calls', operation }),
  )
  if (operation === undefined || !stored.data || !live.data) return undefined
  const end = Date.parse(live.data.from)
  const steps = [...listSteps(stored.data).filter(({ time }) => time < end), ...(isLong ? [] : listSteps(live.data))]
  return findBegin(steps, Date.parse(stored.data.from))
}

function listSteps({ points, stepSeconds }: History): readonly CallStep[] {
  return points.map(({ time, calls, refused, failed }) => ({
    ...{ time: Date.parse(time), length: stepSeconds * 1000 },
    ...{ calls: calls - refused, failed },
  }))
}
