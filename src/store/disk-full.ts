/** Whether the disk of the database is full, as its transactions report it (specification 5.8). */

export interface DiskFull {
  /** Reports the error of a failed transaction. */
  failed(error: unknown): void
  /** Reports a commit that wrote something. */
  committed(): void
  /** The last error for lack of disk space; undefined once writes succeed. */
  readonly full: Error | undefined
}

/**
 * Milliseconds without a failure. On a nearly full disk small writes succeed and large ones fail: it counts as full
 * until none fails.
 */
const quiet = 10_000

export function openDiskFull(now: () => number): DiskFull {
  let failure: { readonly error: Error; readonly at: number } | undefined
  let isWrittenSince = false
  return {
    failed(error) {
      if (!isFull(error)) return
      failure = { error, at: now() }
      isWrittenSince = false
    },
    committed() {
      isWrittenSince = true
    },
    get full() {
      if (failure && isWrittenSince && now() - failure.at >= quiet) failure = undefined
      return failure?.error
    },
  }
}

/** SQLite's number, PostgreSQL's code. */
function isFull(error: unknown): error is Error {
  const { errcode, code } = error as { readonly errcode?: unknown; readonly code?: unknown }
  return errcode === 13 || code === '53100'
}
