/** A process of several: its number, when it is to stop, and what it reports (specification 17.2). */
import type { SendHandle } from 'node:child_process'
import type { Report } from '../../observe/metrics/report.ts'
import type { Settings } from '../../settings.ts'
import type { ReportMessage } from './worker-messages.ts'

/** What a worker is told by its supervisor, and tells it. */
export interface WorkerRole {
  readonly number: number
  /** Of workers, this one among them. */
  readonly count: number
  /** What a person should know is told by the first worker of a start, and by no other. */
  readonly isQuiet: boolean
  /** What `--new` and `--no-new` say, to the first worker of a start. */
  readonly isNewDatabase?: boolean | undefined
  /** Listening sockets of the worker that it replaces. */
  readonly inherited: readonly number[]
  /** Aborted when it is to stop; the reason, where the log should have one. */
  readonly stop: AbortSignal
  /** With its listening sockets, for its successor. */
  readonly onReady: (sockets: readonly SendHandle[]) => void
  /** It stops without having been told to. */
  readonly onLeave: () => void
  /** Of what it counted. */
  readonly report: (report: Report) => void
  /** Of all processes of this instance; only the process of administration is told. */
  readonly onReports?: (listener: (message: ReportMessage) => void) => void
}

/** They share the connections to the database. */
export function countProcesses({ count }: Pick<WorkerRole, 'count'>, { admin }: Settings): number {
  return admin ? count + 1 : count
}
