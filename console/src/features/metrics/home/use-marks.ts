/** The marks of the charts, and the same time span a day before. */
import { useMemo } from 'react'
import { gatewayClock } from '../../../api/clock.ts'
import { useActivations } from '../../../api/drafts.ts'
import { useNow } from '../../../parts/moment.tsx'
import { type HistoryQuery, useAlerts, useInstances, useMovingHistory } from '../api.ts'
import type { Mark } from '../chart/marks.ts'
import type { Range } from '../use-range.ts'
import { listMarks } from './list-marks.ts'

const none = { items: [] }
const minute = 60_000
const day = 24 * 60 * minute

export function useMarks(): readonly Mark[] {
  const activations = useActivations().data ?? none
  const instances = useInstances().data ?? none
  const active = useAlerts(false).data ?? none
  const ended = useAlerts(true).data ?? none
  const now = useNow()
  return useMemo(
    () =>
      listMarks({
        activations: activations.items,
        instances: instances.items,
        alerts: [...active.items, ...ended.items],
        now,
      }),
    [activations, instances, active, ended, now],
  )
}

export function useBefore({ query }: Range, operation?: string) {
  return useMovingHistory(['before', query, operation], () => {
    const { minutes = 60, from, to }: Omit<HistoryQuery, 'sort'> = query
    const end = to === undefined ? gatewayClock.now() : Date.parse(to)
    const start = from === undefined ? end - minutes * minute : Date.parse(from)
    const at = (time: number) => new Date(time - day).toISOString()
    return { from: at(start), to: at(end), sort: 'calls', ...(operation !== undefined && { operation }) }
  })
}
