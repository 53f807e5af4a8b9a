/** Whether the database has room for what is written, as its transactions meet it (specification 5.8). */

export interface Room {
  /** Told of what failed in a transaction. */
  failed(error: unknown): void
  /** Told when something written was committed. */
  committed(): void
  /** What the database said for want of room. */
  readonly full: Error | undefined
}

/** Milliseconds. Where little room is left, small writes are taken and large ones are not: it is full until none fails. */
const quiet = 10_000

export function openRoom(now: () => number): Room {
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
