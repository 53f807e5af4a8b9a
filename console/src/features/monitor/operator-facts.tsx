/** The last day of a caller, beside its form. */
import { Facts } from '../../parts/facts.tsx'
import { showCount } from '../../parts/figures-columns.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useUse } from './use-columns.tsx'

export default function OperatorFacts({ id }: { readonly id: string }) {
  const [use] = useUse('operator', [id]).data?.items ?? []
  if (!use) return null
  const { calls, refused, failed, last } = use
  const rows = [
    ['Calls', showCount(calls)],
    ['Refused', showCount(refused)],
    ['Failed', showCount(failed, true)],
    ['Last use', <Moment key="last" time={last} isRelative />],
  ] as const
  return <Facts title="Last 24 hours" areNumbers rows={rows} />
}
