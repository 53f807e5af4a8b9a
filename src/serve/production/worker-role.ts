/** One of several processes: its number, its stop signal and its reports (specification 17.2). */
import type { Server } from 'node:net'
import type { Inherit } from '../../http/hand-over.ts'
import type { Report } from '../../observe/metrics/report.ts'
import type { Settings } from '../../settings.ts'
import type { ReportMessage } from './worker-messages.ts'

/** The messages between a worker and its supervisor. */
export interface WorkerRole {
  readonly number: number
  /** Number of workers, this one included. */
  readonly count: number
  /** Only the first worker of a start prints messages for people. */
  readonly isQuiet: boolean
  /** From `--new` and `--no-new`, for the first worker of a start. */
  readonly isNewDatabase?: boolean | undefined
  /** From the worker that it replaces. */
  readonly inherit: Inherit | undefined
  /** Fulfilled when the process of administration listens, or has failed to. */
  readonly administrationOpened: Promise<void>
  /** Aborted to stop it; the reason, if the log should have one. */
  readonly stop: AbortSignal
  /** With its listeners, for its successor. */
  readonly onReady: (listeners: readonly Server[]) => void
  /** It stops without being asked to. */
  readonly onLeave: () => void
  /** Of its counters. */
  readonly report: (report: Report) => void
  /** Of all processes of this instance; only for the process of administration. */
  readonly onReports?: (listener: (message: ReportMessage) => void) => void
}

/** They share the connections to the database. */
export function countProcesses({ count }: Pick<WorkerRole, 'count'>, { admin }: Settings): number {
  return admin ? count + 1 : count
}
