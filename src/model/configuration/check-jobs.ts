/** The rules of a job that involve several of its fields (specification 24.2). */
import type { Problem } from '../problem.ts'
import type { Unchecked } from './unchecked.ts'

export function* checkJobs({ jobs }: Unchecked): Iterable<Problem> {
  for (const [index, job] of (jobs ?? []).entries()) {
    if (!job) continue
    const path = `jobs[${index}]`
    const { every, at, timeZone } = job
    if (every === undefined && at === undefined)
      yield { path, message: "needs every or at: every: '5min', or at: '0 3 * * *'" }
    if (every !== undefined && at !== undefined)
      yield { path: `${path}.at`, message: 'cannot be combined with every: leave one of them out' }
    if (every !== undefined && timeZone !== undefined)
      yield { path: `${path}.timeZone`, message: 'has no effect with every: leave it out, or use at' }
  }
}
