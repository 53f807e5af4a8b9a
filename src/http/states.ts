/** The states of a connection, and how each one ends (specification 4.15, 7.5, 7.6). */
import type { Limits } from '../settings.ts'

/** `fresh`: nothing received yet. `rest`: discards the rest of an unread body. `leaving`: the last reply is written. */
export type State = 'fresh' | 'idle' | 'head' | 'call' | 'rest' | 'leaving'
export type Action = 'cut' | 'leave' | 'refuse' | 'abandon' | 'wait'

interface Row {
  /** Its time limit in milliseconds. */
  most(limits: Limits): number
  /** The action at the time limit, when the client closes its sending half, and when the gateway stops. */
  readonly late: Action
  readonly ended: Action
  readonly stopped: Action
}

/** How long a client may still send before the connection is cut, in milliseconds. */
export const linger = { silent: 2_000, total: 30_000 }
const lingering = () => linger.silent

export const states: Readonly<Record<State, Row>> = {
  fresh: { most: ({ headersTimeout }) => headersTimeout, late: 'cut', ended: 'leave', stopped: 'cut' },
  idle: { most: ({ keepAliveTimeout }) => keepAliveTimeout, late: 'cut', ended: 'leave', stopped: 'cut' },
  head: { most: ({ headersTimeout }) => headersTimeout, late: 'refuse', ended: 'refuse', stopped: 'cut' },
  call: { most: () => Number.POSITIVE_INFINITY, late: 'abandon', ended: 'wait', stopped: 'wait' },
  rest: { most: lingering, late: 'cut', ended: 'cut', stopped: 'leave' },
  leaving: { most: lingering, late: 'cut', ended: 'wait', stopped: 'wait' },
}

/**
 * In milliseconds. A client that has closed its sending half may still read or may be gone, which shows only when the
 * gateway writes. For this long, the gateway assumes that it waits for its reply.
 */
export const halfClosed = 1_000
