/**
 * The slowest transactions that match (specification 21.20). Classes have a step of duration, so only those of the highest
 * steps are read, and of a step at most 10,000.
 */
import { ofClasses } from './classes.ts'
import {
  isSearch,
  lookedThrough,
  type PageRequest,
  type Reader,
  readLatest,
  readTransactions,
  scan,
  spanOf,
  type TimedPlace,
  within,
  withOwners,
} from './list.ts'
import type { MonitorPage } from './monitored-transaction.ts'

export async function listSlowest(reader: Reader, request: PageRequest): Promise<MonitorPage> {
  const latest = await readLatest(reader)
  const found = isSearch(request.filter)
    ? (await scan(reader, { ...request, limit: lookedThrough })).found
    : await readSlowestSteps(reader, request)
  const places = found.toSorted((one, other) => other.duration - one.duration || other.time - one.time)
  const transactions = await readTransactions(reader, places.slice(0, request.limit))
  const inOrder = transactions.toSorted((one, other) => other.durationMs - one.durationMs || other.time - one.time)
  return { transactions: inOrder, next: undefined, latest }
}

/** The highest steps that have as many as are asked for. */
async function readSlowestSteps(reader: Reader, request: PageRequest): Promise<readonly TimedPlace[]> {
  const { filter, limit } = request
  const classes = await ofClasses(reader, filter).select(['id', 'duration_step']).execute()
  const steps = Map.groupBy(classes, ({ duration_step }) => duration_step)
  const rows = withOwners(within(reader.selectFrom('ig_monitor'), spanOf(request)), filter)
  const found: TimedPlace[] = []
  for (const step of [...steps.keys()].sort((one, other) => other - one)) {
    const ids = (steps.get(step) ?? []).map(({ id }) => id)
    const ofStep = rows.where('class', 'in', ids).select(['time', 'sequence', 'duration']).limit(lookedThrough)
    found.push(...(await ofStep.execute()))
    if (found.length >= limit) break
  }
  return found
}
