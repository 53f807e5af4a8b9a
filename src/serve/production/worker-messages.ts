/** What a worker and its supervisor tell each other (specification 17.2). */
import type { Server } from 'node:net'
import type { TakeOver } from '../../http/hand-over.ts'
import type { Report, ReportMessage } from '../../observe/metrics/report.ts'
import type { Settings } from '../../settings.ts'

export type ToSupervisor =
  /** Its event loop is running; sent periodically. */
  | { readonly kind: 'alive' }
  /** It can serve, and waits for the listening sockets of the worker that it replaces. */
  | { readonly kind: 'inherits' }
  | HandoverMessage
  | { readonly kind: 'ready' }
  /** It stops without an order: its running calls finish, and another worker may take its slot. */
  | { readonly kind: 'leaving' }
  /** Its counters since the last report. */
  | { readonly kind: 'report'; readonly report: Report }
  /** It cannot serve; the reason as the command line prints it. */
  | { readonly kind: 'failed'; readonly reason: string }

/** The number of the process that serves administration; workers are counted from 1. */
export const administrationNumber = 0

export type ToWorker =
  | { readonly kind: 'stop' }
  | AdministrationOpened
  /** Its successor gets its listening sockets; it accepts on them until it is stopped. */
  | { readonly kind: 'handOver' }
  | HandoverMessage
  | ReportMessage

/** The process of administration listens, or has failed to. */
export interface AdministrationOpened {
  readonly kind: 'administrationOpened'
}

/** Messages from a worker to its successor. */
export type HandoverMessage =
  /** Sent with the socket of its listener of this number. */
  | { readonly kind: 'listening'; readonly at: number }
  /** Sent with a connection that arrived during the hand-over. */
  | { readonly kind: 'connection'; readonly at: number }
  /** Nothing more comes. */
  | { readonly kind: 'handedOver' }

/** Milliseconds between reports that a worker is alive: a quarter of the shortest `ig.workers.stallTimeout`. */
export const aliveInterval = 125

/** One of several processes: its number, its stop signal and its reports. */
export interface WorkerRole {
  readonly number: number
  /** Number of workers, this one included. */
  readonly count: number
  /** Only the first worker of a start prints messages for people. */
  readonly isQuiet: boolean
  /** Set by `--new` and `--no-new`, for the first worker of a start. */
  readonly isNewDatabase?: boolean | undefined
  /** The sockets of the worker that it replaces. */
  readonly takeOver: TakeOver | undefined
  /** Fulfilled when the process of administration listens, or has failed to. */
  readonly administrationOpened: Promise<void>
  /** Aborted to stop it; the reason, if the log should have one. */
  readonly stop: AbortSignal
  /** Called with its listeners, which its successor takes over. */
  readonly onReady: (listeners: readonly Server[]) => void
  /** Called if it stops without an order of its supervisor. */
  readonly onLeave: () => void
  /** Sends its counters. */
  readonly report: (report: Report) => void
  /** Receives the reports of all processes of this instance; only for the process of administration. */
  readonly onReports?: (listener: (message: ReportMessage) => void) => void
}

/** They share the connections to the database. */
export function countProcesses({ count }: Pick<WorkerRole, 'count'>, { admin }: Settings): number {
  return admin ? count + 1 : count
}
