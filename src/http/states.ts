/** The states of a connection, and how each one ends (specification 4.15, 7.5, 7.6). */
import type { Limits } from '../settings.ts'

/** `fresh`: nothing received yet. `rest`: discards the rest of an unread body. `leaving`: the last reply is written. */
export type State = 'fresh' | 'idle' | 'head' | 'call' | 'rest' | 'leaving'
export type Action = 'cut' | 'leave' | 'refuse' | 'abandon' | 'wait'

interface Row {
  /** Milliseconds. */
  timeout(limits: Limits): number
  readonly onTimeout: Action
  /** When the client closes its sending half. */
  readonly onEnd: Action
  /** When the gateway stops. */
  readonly onStop: Action
}

/** Milliseconds for which a client may still send before the connection is cut: without a byte, and in total. */
export const lingerIdle = 2_000
export const lingerTotal = 30_000

export const states: Readonly<Record<State, Row>> = {
  fresh: { timeout: ({ headersTimeout }) => headersTimeout, onTimeout: 'cut', onEnd: 'leave', onStop: 'cut' },
  idle: { timeout: ({ keepAliveTimeout }) => keepAliveTimeout, onTimeout: 'cut', onEnd: 'leave', onStop: 'cut' },
  head: { timeout: ({ headersTimeout }) => headersTimeout, onTimeout: 'refuse', onEnd: 'refuse', onStop: 'cut' },
  call: { timeout: () => Number.POSITIVE_INFINITY, onTimeout: 'abandon', onEnd: 'wait', onStop: 'wait' },
  rest: { timeout: () => lingerIdle, onTimeout: 'cut', onEnd: 'cut', onStop: 'leave' },
  leaving: { timeout: () => lingerIdle, onTimeout: 'cut', onEnd: 'wait', onStop: 'wait' },
}

/**
 * Milliseconds. A client that has closed its sending half may still read or may be gone, which shows only when the
 * gateway writes. For this long, the gateway assumes that it waits for its reply.
 */
export const halfClosed = 1_000
