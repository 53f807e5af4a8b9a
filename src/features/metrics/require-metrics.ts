/** What the feature opened in this process, for administration (specification 20.7). */
import type { ActionParts } from '../../actions/action.ts'
import { AdminProblem } from '../../actions/problem-details.ts'
import { isOpenMetrics } from './open.ts'

/** @throws AdminProblem `metricsOff` */
export function requireMetrics({ opened }: Pick<ActionParts, 'opened'>) {
  const { heartbeat, scrape } = opened.find(isOpenMetrics) ?? {}
  if (heartbeat && scrape) return { heartbeat, scrape }
  throw metricsOff()
}

export function metricsOff(): AdminProblem {
  return new AdminProblem('metricsOff', 'Set ig.metrics=on and restart the gateway.')
}
