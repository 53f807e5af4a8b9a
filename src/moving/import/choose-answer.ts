/**
 * Which of several answers to one request is recorded (specification 16.17): a success before a refusal, a refusal before
 * a passing state, and of equals the later. `ig record` and every import choose by it.
 */
import type { Problem } from '../../model/problem.ts'
import type { Recording } from './recording.ts'

/** 401, 408, 425, 429 and 5xx say how the server or the caller was at that moment, not what the operation answers. */
function isPassing(status: number): boolean {
  return status >= 500 || [401, 408, 425, 429].includes(status)
}

function rank({ answer: { status } }: Recording): number {
  if (status < 400) return 0
  return isPassing(status) ? 2 : 1
}

/** The one that is a row. */
export function preferAnswer(earlier: Recording, later: Recording): Recording {
  return rank(later) <= rank(earlier) ? later : earlier
}

/** Without the passing states of requests that were also answered otherwise; the others stay, with a note. */
export function leaveOutPassing(recordings: readonly Recording[], notices: Problem[]): readonly Recording[] {
  const lasting = new Map(recordings.filter((one) => rank(one) < 2).map((one) => [requestOf(one), one]))
  return recordings.filter((one) => {
    if (rank(one) < 2) return true
    const { answer, place } = one
    const other = lasting.get(requestOf(one))
    if (other) {
      const message = `is left out: ${answer.status} is a passing state, and ${other.place} answers the same request`
      notices.push({ path: place, message })
    }
    return other === undefined
  })
}

/** Recordings that stayed although their answer is a passing state. */
export function notePassing(recordings: readonly Recording[]): readonly Problem[] {
  return recordings
    .filter((one) => rank(one) === 2)
    .map(({ place, answer, url }) => ({
      path: place,
      message: `answers ${url.shown} with ${answer.status}, a passing state: nothing else was recorded for it`,
    }))
}

/** What makes two requests the same: method, target, and the values of the body that select a row. */
function requestOf({ method, url, bodyValues = {} }: Recording): string {
  return JSON.stringify([method, url.shown, Object.entries(bodyValues).sort()])
}
