/**
 * The one time limit of the tests. A wait ends by its event; where the event never comes, it ends after this time.
 * `test/run.ts` scales it by what the machine takes for a fixed piece of work, so that a slow machine fails no test.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

const usually = 60_000

/** Milliseconds of a wait. */
export const patience = Number(process.env.IG_TEST_PATIENCE ?? usually)
/** Milliseconds of a limit that a test lowers to meet it: longer on a slower machine, where work that is not to meet it is slower. */
export function scaled(milliseconds: number): number {
  return Math.ceil((milliseconds * patience) / usually)
}

/** Settings of a gateway whose own limits are not what is tested: a busy machine is no caller's fault. */
export const patientLimits = {
  'ig.limits.databaseWait': `${patience}ms`,
  'ig.limits.overloadDelay': `${patience}ms`,
}
/** The same, for a process. */
export const patientVariables = Object.fromEntries(
  Object.entries(patientLimits).map(([key, value]) => [key.toUpperCase().replaceAll('.', '_'), value]),
)

/**
 * For the short forms of ordeals: where a machine is slow, calls are shed for its sake, which is not what they are about. None
 * for an ordeal itself.
 */
export const unshed: Readonly<Record<string, string>> =
  process.env.IG_TEST_PATIENCE === undefined ? {} : { IG_LIMITS_OVERLOADDELAY: `${patience}ms` }

/** Of a test, which may wait several times. */
export const waitsOfTest = 5

/** What a core of a usual machine takes for the fixed piece of work, in milliseconds. */
const usualWork = 300

function work(): void {
  const value = { list: Array.from({ length: 200 }, (_, at) => ({ at, name: `name ${at}`, isEven: at % 2 === 0 })) }
  for (let turn = 0; turn < 2_500; turn += 1) JSON.parse(JSON.stringify(value))
}

/** Each core works: a quota for all of them shows too. @returns 1 on a usual machine, 3 where a core is three times slower */
export async function measureSlowness(cores = availableParallelism()): Promise<number> {
  const thread = `const started = performance.now(); (${work})(); require('node:worker_threads').parentPort.postMessage(performance.now() - started)`
  const times = Array.from({ length: cores }, async () => {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    new Worker(thread, { eval: true }).once('message', resolve).once('error', reject)
    return promise
  })
  return Math.max(1, Math.max(...(await Promise.all(times))) / usualWork)
}

export interface Pace {
  readonly patience: number
  /** Of tests: those of sockets, processes and browsers wait half of their time, and the rest fills it. */
  readonly processes: number
}

export function findPace(slowness: number, cores: number): Pace {
  return {
    patience: Math.round(usually * slowness),
    processes: Math.max(cores, Math.round((3 * cores) / slowness)),
  }
}
