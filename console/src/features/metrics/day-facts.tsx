/** The last day of an operation, beside its figures of the chosen time span. */
import type { OperationFactsProps } from '../../page.ts'
import { Facts } from '../../parts/facts.tsx'
import { showCount } from '../../parts/figures-columns.tsx'
import { showDuration } from '../../parts/show-value.tsx'
import { showShare } from './charts.tsx'
import { useOperationFigures } from './operation-columns.tsx'

export default function DayFacts({ operation }: OperationFactsProps) {
  const [figures] = useOperationFigures([operation]).data?.items ?? []
  if (!figures) return null
  const { calls, refused, failed, p95, cacheHitRate } = figures
  const rows = [
    ['Calls', showCount(calls)],
    ['Refused', showCount(refused)],
    ['Failed', showCount(failed, true)],
    ['p95', p95 === null ? '–' : showDuration(p95)],
    ...(cacheHitRate === null ? [] : [['From the cache', showShare(cacheHitRate)] as const]),
  ] as const
  return <Facts title="Last 24 hours" areNumbers rows={rows} />
}
