/**
 * Hostile callers: mutated targets, bodies, tokens, streams and calls of the administration API, at the same time. Each is
 * answered, none by an error of the gateway, none as another operator, and nothing is stored without an answer
 * (specification 1, 3, 5, 7.5, 18.8).
 */

import { fuzzAdminCalls } from './fuzz/admin-calls.ts'
import { type AcknowledgedRows, fuzzBodies } from './fuzz/bodies.ts'
import { fuzzStreams } from './fuzz/streams.ts'
import { type OpenSubject, openSubject, type Subject } from './fuzz/subject.ts'
import { fuzzTargets } from './fuzz/targets.ts'
import { fuzzTokens } from './fuzz/tokens.ts'
import { addTallies, type Ordeal, openRandom, type Random, type Tally } from './ordeal.ts'

/** So many of each in a trial; of targets ten times as many. */
const size = 1000
/** Every so many trials run on PostgreSQL. */
const everyPostgres = 10

export const fuzz: Ordeal = {
  name: 'fuzz',
  title: '10⁶ targets, 10⁵ XML bodies, 10⁵ tokens, 10⁵ raw streams, 10⁵ calls of the administration API, all hostile',
  figure: 'no crash, no 5xx, no wrong operator, no row without an answer, no change without the role',
  trials: 100,
  async open() {
    const subjects = new Map<string, Promise<OpenSubject>>()
    return {
      async trial(index, random) {
        const database = index % everyPostgres === everyPostgres - 1 ? 'PostgreSQL' : 'SQLite'
        const subject = subjects.get(database) ?? openSubject(database)
        subjects.set(database, subject)
        const opened = await subject
        const tally = await fuzzOnce(opened, size, random)
        for (const found of opened.found.splice(0)) process.stderr.write(`trial ${index}, ${found}\n`)
        return tally
      },
      async close() {
        for (const subject of subjects.values()) await (await subject).close()
      },
    }
  },
  judge: judgeFuzz,
}

export async function fuzzOnce(subject: Subject, size: number, random: Random): Promise<Tally> {
  const failuresBefore = subject.failures()
  const acknowledged: AcknowledgedRows = new Map()
  const own = () => openRandom(random() * 2 ** 32) // what is concurrent takes turns that no seed repeats
  const tallies = await Promise.all([
    fuzzTargets(subject, size * 10, own()),
    fuzzBodies(subject, size, own(), acknowledged),
    fuzzTokens(subject, size, own()),
    fuzzStreams(subject, size, own(), acknowledged),
    fuzzAdminCalls(subject, size, own(), acknowledged),
  ])
  const stored = await compareRows(subject, acknowledged)
  return [...tallies, stored, { crashes: subject.failures() - failuresBefore }].reduce(addTallies)
}

/** The rows of the trial, which are removed: each transaction was acknowledged, and each acknowledged one stored all. */
async function compareRows({ query }: Subject, acknowledged: AcknowledgedRows): Promise<Tally> {
  const rows = await query(
    'select "IBTRANSACTIONID" as id, count(*) as rows from "C_KEY_VALUE" group by "IBTRANSACTIONID"',
  )
  const stored = new Map(rows.map(({ id, rows }) => [String(id), Number(rows)]))
  await query('delete from "C_KEY_VALUE"')
  const unacknowledged = Array.from(stored.keys()).filter((id) => !acknowledged.has(id)).length
  const lost = Array.from(acknowledged).filter(
    ([id, rows]) => rows !== undefined && (stored.get(id) ?? 0) !== rows,
  ).length
  return { transactions: stored.size, unacknowledged, lost }
}

const never: Readonly<Record<string, string>> = {
  unanswered: 'requests had no answer',
  serverErrors: 'requests had a 5xx',
  wrongOperator: 'requests ran as another operator, or without the permission',
  smuggled: 'requests were read out of a body or behind a broken one',
  mixedUp: 'answers were those of another request',
  mistaken: 'answers were not what the request asks for',
  trespassed: 'administration calls were served without the role',
  unacknowledged: 'transactions are stored and were not acknowledged',
  lost: 'acknowledged transactions are not stored whole',
  crashes: 'processes ended, or errors of the gateway were logged',
}

/** What each trial must at least have done, so that zeros mean something. */
const enough = ['targets', 'bodies', 'tokens', 'streams', 'adminCalls']
const some = [
  'served',
  'stored',
  'refused',
  'accepted',
  'rejected',
  'streamReplies',
  'allowed',
  'changed',
  'forbidden',
  'transactions',
]

export function judgeFuzz(tally: Tally, trials: number): readonly string[] {
  return [
    ...Object.entries(never).flatMap(([name, text]) =>
      tally[name] === 0 ? [] : [`${tally[name] ?? 'unknown'} ${text}`],
    ),
    ...enough.filter((name) => (tally[name] ?? 0) < 100 * trials).map((name) => `only ${tally[name] ?? 0} ${name}`),
    ...some.filter((name) => !tally[name]).map((name) => `none was ${name}`),
  ]
}
