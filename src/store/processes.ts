/**
 * The report of each serving process: the last activation that it handled, and why it refuses that one (specification
 * 13.17). Its rows are among those of the instances: the previous version could not open a database with a table that it
 * does not know, and during a rolling upgrade its workers could not be replaced.
 */
import type { InstanceStore } from './instances.ts'

export interface ServingProcess extends ProcessFacts {
  readonly id: string
  /** Epoch milliseconds of the database, both. */
  readonly seen: number
  readonly started: number
}

export interface ProcessFacts {
  readonly host: string
  /** The address at which it serves calls. */
  readonly url: string
  readonly version: string
  readonly processes: 1
  /** The revision that it serves. */
  readonly revision: number | null
  readonly process: {
    readonly pid: number
    /** The last activation that the process serves or refuses. */
    readonly sequence: number
    readonly refusal?: string | undefined
    readonly conditions: readonly { readonly name: string; readonly detail: string }[]
  }
}

/** Milliseconds: a process reports every five seconds, so three reports are missing. */
export const processLostAfter = 15_000

export function isProcess(facts: object): facts is ProcessFacts {
  return 'process' in facts
}

/** `gw1:8080` */
export function instanceOf({ host, url }: Pick<ProcessFacts, 'host' | 'url'>): string {
  return `${host}:${new URL(url).port}`
}

export async function listProcesses(
  instances: Pick<InstanceStore, 'list'>,
  now: number,
): Promise<readonly ServingProcess[]> {
  const rows = (await instances.list()).filter(({ seen }) => now - seen < processLostAfter)
  return rows
    .map(({ facts, ...row }) => ({ ...row, ...(JSON.parse(facts) as ProcessFacts | { url: string }) }))
    .filter((row) => isProcess(row))
}
