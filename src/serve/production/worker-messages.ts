/** Messages between a worker and its supervisor (specification 17.2). */
import type { Report } from '../../observe/metrics/report.ts'

export type ToSupervisor =
  /** Its event loop is running; sent periodically. */
  | { readonly kind: 'alive' }
  /** Sent with a listening socket, for its successor. */
  | { readonly kind: 'listening' }
  | { readonly kind: 'ready' }
  /** It stops by itself: running calls finish, and its place is free. */
  | { readonly kind: 'leaving' }
  /** Its counters since the last report. */
  | { readonly kind: 'report'; readonly report: Report }
  /** It cannot serve; the reason as the command line prints it. */
  | { readonly kind: 'failed'; readonly reason: string }

/** The number of the process that serves administration; workers are counted from 1. */
export const administration = 0

export type ToWorker = { readonly kind: 'stop' } | ReportMessage

/** The counters of all processes, including its own, for the process of administration (20.2). */
export type ReportMessage =
  | { readonly kind: 'report'; readonly report: Report }
  /** All counters from before its start. */
  | { readonly kind: 'earlier'; readonly reports: readonly Report[] }
  | { readonly kind: 'gone'; readonly worker: number }

/** The file descriptors of inherited listening sockets: after standard input, outputs and messages. */
export const firstInherited = 4

/** How often a worker reports that it is alive, for a limit in milliseconds. */
export function aliveEvery(stallTimeout: number): number {
  return Math.min(1000, stallTimeout / 4)
}
