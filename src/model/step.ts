/** The steps of a call, in order, as traces, Try it, `ig explain` and the monitor name them (specification 15.3, 20.13). */
export const steps = [
  'target',
  'operation',
  'origin',
  'authentication',
  'limits',
  'permission',
  'uri',
  'cache',
  'idempotency',
  'message',
  'handler',
  'reply',
] as const
/**
 * A step of a call, as `ig explain` and the monitor name it: in this order `target`, `operation`, `origin`,
 * `authentication`, `limits`, `permission`, `uri`, `cache`, `idempotency`, `message`, `handler`, `reply`.
 */
export type Step = (typeof steps)[number]

/** What is decided about a call: which address counts as its caller, and the steps. */
export const decided = ['address', ...steps] as const
export type DecidedStep = (typeof decided)[number]

export const outcomes = ['passed', 'refused', 'would pass', 'would refuse', 'not reached', 'not run', 'failed'] as const
/** `would pass`, `would refuse`: an earlier step has refused the call already. */
export type StepOutcome = (typeof outcomes)[number]
