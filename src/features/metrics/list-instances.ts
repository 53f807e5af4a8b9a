/** Lists the instances of a cluster from the reports of their processes (specification 20.9). */
import type { InstanceRow } from '../../store/instances.ts'
import { instanceOf, isProcess, type ProcessFacts, processLostAfter } from '../../store/processes.ts'
import type { TimeStep } from './steps.ts'

export interface Instance extends InstanceFacts {
  readonly id: string
  readonly started: number
  readonly seen: number
  /** Conditions of its processes, with the reason of a refused revision, for administrators. */
  readonly conditions: readonly InstanceCondition[]
}

export interface InstanceFacts {
  readonly host: string
  readonly url: string
  readonly version: string
  readonly processes: number
  /** The lowest revision of its processes; null if it serves files. */
  readonly revision: number | null
}

export interface InstanceCondition {
  /** The process id. */
  readonly process: number
  readonly name: string
  readonly detail: string
}

type Row = Omit<InstanceRow, 'facts'> & (InstanceFacts | ProcessFacts)

/** This instance's view of the cluster. */
export interface Heartbeat {
  readonly id: string
  /** All instances, or only this one during a store outage. */
  readAll(): Promise<{
    readonly isAlone: boolean
    readonly instances: readonly Instance[]
    readonly steps: readonly (readonly TimeStep[])[]
  }>
  /** Reports to the store; called every few seconds. */
  beat(): Promise<void>
  /** Epoch milliseconds of the database. */
  now(): number
  close(): Promise<void>
}

/** An instance without administration has no report of its own: it is derived from its processes. */
export function listInstances(rows: readonly InstanceRow[], now: number): readonly Instance[] {
  const all = rows.map(({ facts, ...row }): Row => ({ ...row, ...(JSON.parse(facts) as InstanceFacts | ProcessFacts) }))
  const ofInstance = Map.groupBy(
    all.filter((row) => isProcess(row)),
    instanceOf,
  )
  const whole = all.filter((row) => !isProcess(row))
  const known = new Set(whole.map(({ id }) => id))
  const others = [...ofInstance].filter(([id]) => !known.has(id)).map(([id, processes]) => addUp(id, processes, now))
  return [...whole, ...others].map((instance) => ({
    ...instance,
    conditions: (ofInstance.get(instance.id) ?? []).filter((each) => isAlive(each, now)).flatMap(listConditions),
  }))
}

type ProcessRow = Extract<Row, ProcessFacts>

/** Ignores ended processes unless there are no others. */
function addUp(id: string, processes: readonly ProcessRow[], now: number): Omit<Instance, 'conditions'> {
  const alive = processes.filter((each) => isAlive(each, now))
  const counted = alive.length > 0 ? alive : processes
  const [{ host, url, version }] = counted as [ProcessRow]
  const revisions = counted.flatMap(({ revision }) => revision ?? [])
  return {
    id,
    host,
    url,
    version,
    started: Math.min(...counted.map(({ started }) => started)),
    seen: Math.max(...counted.map(({ seen }) => seen)),
    processes: counted.length,
    revision: revisions.length > 0 ? Math.min(...revisions) : null,
  }
}

function isAlive({ seen }: Pick<InstanceRow, 'seen'>, now: number): boolean {
  return now - seen < processLostAfter
}

function listConditions({ process: { pid, conditions, refusal } }: ProcessRow): readonly InstanceCondition[] {
  return conditions.map(({ name, detail }) => {
    const reason = name === 'revisionRefused' && refusal !== undefined ? ` ${refusal}` : ''
    return { process: pid, name, detail: `${detail}${reason}` }
  })
}
