/**
 * Answers that change: of equal requests that are answered differently after a successful call that may have changed
 * something, the later one has that call (specification 16.17).
 */
import { preferAnswer } from './choose-answer.ts'
import type { ChangingCall, Recording } from './recording.ts'

interface State {
  readonly recording: Recording
  /** How many successful changes there were before. */
  readonly changes: number
}

/** @param recordings in the order in which they were made */
export function findChanges(
  recordings: readonly Recording[],
  isSameAnswer: (one: Recording, other: Recording) => boolean,
): readonly Recording[] {
  const states = new Map<string, State>()
  let changes = 0
  let latest: ChangingCall | undefined
  return recordings.map((recording) => {
    const { method, url, answer } = recording
    if (method !== 'GET' && method !== 'HEAD') {
      if (answer.status >= 400) return recording
      changes += 1
      latest = { alias: url.alias, version: url.version, method }
      return recording
    }
    const key = `${method} ${url.shown}`
    const known = states.get(key)
    const isChanged = known && known.changes < changes && !isSameAnswer(known.recording, recording)
    const after = isChanged ? latest : known?.recording.after
    const stated = after ? { ...recording, after } : recording
    states.set(key, { recording: known && !isChanged ? preferAnswer(known.recording, stated) : stated, changes })
    return stated
  })
}
