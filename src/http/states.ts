/** What a connection is at, and how each of these ends (specification 4.15, 7.5, 7.6). */
import type { Limits } from '../settings.ts'

/** `fresh`: nothing has come. `rest`: of a body that nobody wants. `leaving`: the last reply is written. */
export type State = 'fresh' | 'idle' | 'head' | 'call' | 'rest' | 'leaving'
export type Action = 'cut' | 'leave' | 'refuse' | 'abandon' | 'wait'

interface Row {
  /** Milliseconds that it may last. */
  most(limits: Limits): number
  /** What is done when it lasts longer, when the client has closed its sending half, and when the gateway stops. */
  readonly late: Action
  readonly ended: Action
  readonly stopped: Action
}

/** A client that still sends is listened to for so long, in milliseconds, before the connection is cut. */
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
 * A client that has closed its sending half may still read, or may be gone: the two look alike until something is
 * written. For so long, in milliseconds, it is taken to wait for its reply.
 */
export const halfClosed = 1_000
