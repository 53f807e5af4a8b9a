/** Whether a client still waits for its response; the order of verification depends on it (specification 3.24, 3.25). */
import type { Call } from '../../model/call.ts'

/** A client that has closed its sending half may still read, or may have disconnected. */
export type Presence = 'present' | 'halfClosed' | 'left'

export type Client = Pick<Call, 'signal' | 'isHalfClosed'>

/** Of several clients that wait for the same result: that of the one most likely to read it. */
export function presenceOf(clients: readonly Client[]): Presence {
  const staying = clients.filter(({ signal }) => !signal.aborted)
  if (staying.length === 0) return 'left'
  return staying.every(({ isHalfClosed }) => isHalfClosed) ? 'halfClosed' : 'present'
}

/** The present ones, in the same order; all of them if none is present. */
export function present<One extends { presence(): Presence }>(waiting: Iterable<One>): readonly One[] {
  const all = [...waiting]
  const those = all.filter((one) => one.presence() === 'present')
  return those.length > 0 ? those : all
}
