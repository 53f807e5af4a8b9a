/** The states of a connection, and how each one ends (specification 4.15, 7.5, 7.6). */
import type { Limits } from '../settings.ts'

/** `fresh`: nothing received yet. `draining`: discards the rest of an unread body. `lingering`: its last reply is written. */
export type State = 'fresh' | 'idle' | 'head' | 'call' | 'draining' | 'lingering'
export type Action = 'destroy' | 'linger' | 'refuse' | 'abortCall' | 'wait'

interface Row {
  /** Milliseconds. */
  timeout(limits: Limits): number
  readonly onTimeout: Action
  /** When the client closes its sending half. */
  readonly onEnd: Action
  /** When the gateway stops. */
  readonly onStop: Action
}

/** Milliseconds for which a client may still send before the connection is destroyed: without a byte, and in total. */
export const lingerIdle = 2_000
export const lingerTotal = 30_000

export const states: Readonly<Record<State, Row>> = {
  fresh: { timeout: (limits) => limits.headersTimeout, onTimeout: 'destroy', onEnd: 'linger', onStop: 'destroy' },
  idle: { timeout: (limits) => limits.keepAliveTimeout, onTimeout: 'destroy', onEnd: 'linger', onStop: 'destroy' },
  head: { timeout: (limits) => limits.headersTimeout, onTimeout: 'refuse', onEnd: 'refuse', onStop: 'destroy' },
  call: { timeout: () => Number.POSITIVE_INFINITY, onTimeout: 'abortCall', onEnd: 'wait', onStop: 'wait' },
  draining: { timeout: () => lingerIdle, onTimeout: 'destroy', onEnd: 'destroy', onStop: 'linger' },
  lingering: { timeout: () => lingerIdle, onTimeout: 'destroy', onEnd: 'wait', onStop: 'wait' },
}

/** Milliseconds. After a half-close, the gateway checks this often whether the client still takes bytes. */
export const halfClosed = 1_000
