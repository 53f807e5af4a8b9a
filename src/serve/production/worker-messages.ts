/** What a worker and its supervisor say to each other (specification 17.2). */
import type { Report } from '../../observe/metrics/report.ts'

export type ToSupervisor =
  /** Its event loop turns; said again and again. */
  | { readonly kind: 'alive' }
  /** Comes with a listening socket, for its successor. */
  | { readonly kind: 'listening' }
  | { readonly kind: 'ready' }
  /** It stops by itself: calls under way finish, and its place is free. */
  | { readonly kind: 'leaving' }
  /** What it counted since the last one. */
  | { readonly kind: 'report'; readonly report: Report }
  /** It cannot serve; in the words of the command line. */
  | { readonly kind: 'failed'; readonly reason: string }

/** The number of the process that serves administration; workers are counted from 1. */
export const administration = 0

export type ToWorker = { readonly kind: 'stop' } | ReportMessage

/** What the process of administration is told of all processes, its own reports among them (20.2). */
export type ReportMessage =
  | { readonly kind: 'report'; readonly report: Report }
  /** All that was counted before it began. */
  | { readonly kind: 'earlier'; readonly reports: readonly Report[] }
  | { readonly kind: 'gone'; readonly worker: number }

/** Where a worker finds the listening sockets of the one before: behind standard input, outputs and messages. */
export const firstInherited = 4

/** How often a worker says that it is alive, for a limit in milliseconds. */
export function aliveEvery(stallTimeout: number): number {
  return Math.min(1000, stallTimeout / 4)
}
