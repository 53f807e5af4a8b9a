/** The contract of jobs in the store (specification 24): one row for each job, and a lease for its run. */
import type { CompiledQuery, Kysely } from 'kysely'
import type { JobOutcome } from '../../model/observation.ts'

export interface JobStore {
  list(): Promise<readonly JobRow[]>
  /**
   * Adds the row of a new job, or gives it a new schedule, from which it is due after `last`. A schedule of an earlier
   * activation changes nothing.
   */
  plan(name: string, plan: JobPlan): Promise<void>
  /** Removes the row of a job that the configuration no longer has, unless it runs, or a later activation has it. */
  forget(name: string, sequence: number | undefined): Promise<void>
  /**
   * Takes the lease and begins a run, if the row is still as it was read and no other process holds its lease.
   * @returns false if it is not
   */
  begin(row: Pick<JobRow, 'name' | 'version'>, run: NewRun): Promise<boolean>
  /** @returns false if the lease is lost */
  renew(lease: Lease): Promise<boolean>
  /** Ends a run that stored nothing. @returns false if the lease is lost */
  end(lease: Lease, end: RunEnd): Promise<boolean>
  /** Ends a run whose lease has expired, and that is not repeated. @returns false if the row has changed */
  giveUp(row: Pick<JobRow, 'name' | 'version'>, end: RunEnd): Promise<boolean>
  /** The times until `last` are not made up. @returns false if the row has changed */
  skip(row: Pick<JobRow, 'name' | 'version'>, last: number): Promise<boolean>
  /** A run at the next opportunity, also of an inactive job. */
  request(name: string, by: string, time: number): Promise<boolean>
  /** The last statement of a run's transaction: ends the run as succeeded. If it finds no row, the lease is lost. */
  finalStatementOf(lease: Lease, ended: number): CompiledQuery
}

/** Times are epoch milliseconds of the database. */
export interface JobRow {
  readonly name: string
  /** Changes with every change of the row, except a renewed lease. */
  readonly version: number
  readonly schedule: string
  /** The activation that set the schedule. */
  readonly sequence: number
  /** The job is next due at the first time of its schedule after this one. */
  readonly last: number
  /** What the current or the last run is for, and how often this was tried. */
  readonly due: number | null
  readonly attempt: number
  /** When the failed run is repeated. */
  readonly retry: number | null
  readonly requested: number | null
  readonly requester: string | null
  /** The id of the current or the last run, and its process. */
  readonly run: string | null
  readonly instance: string | null
  /** A run has begun and not ended: it runs, or its lease has expired. */
  readonly hasBegun: boolean
  readonly isRunning: boolean
  readonly begun: number | null
  readonly ended: number | null
  readonly outcome: JobOutcome | null
  readonly reason: string | null
}

export interface JobPlan {
  readonly schedule: string
  /** Undefined if files are served: then it always counts. */
  readonly sequence: number | undefined
  readonly last: number
}

/** Only the process that holds it knows the token. */
export interface Lease {
  readonly name: string
  readonly token: string
}

export interface NewRun {
  readonly token: string
  readonly run: string
  readonly instance: string
  readonly begun: number
  readonly due: number
  readonly attempt: number
  /** The new `last` of the row. */
  readonly last: number
  /** Milliseconds. */
  readonly lease: number
}

export interface RunEnd {
  readonly outcome: JobOutcome
  readonly reason: string
  readonly ended: number
  /** When it is repeated. */
  readonly retry: number | null
}

// biome-ignore lint/suspicious/noExplicitAny: its tables do not matter
export type AnyDatabase = Kysely<any>
